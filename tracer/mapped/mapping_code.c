/* SPDX-License-Identifier: MIT */
#include "tracer/mapped/mapping_code.h"
#include "disasm/disasm.h"
#include "tracer/targets/target.h"

#include <string.h>
#include <sys/syscall.h>

#define CODE_MAX 192 /* bytes of one function that are looked at */

static const char *const functions[] = {"mmap", "mprotect", "pkey_mprotect", "mremap"};

/* The C library, and others with such functions of their own. */
static const char *const libraries[] = {"libc.so", "libc-", "ld-musl-"};

/* The loader's mappings are announced (objects.h), unless that is not known. */
static bool may_map(const struct target *target, const struct module *m)
{
	if (m->is_vdso || m->is_part || m->link_map)
		return false;
	if (target->rendezvous.v == 0 && (m->is_exe || strncmp(m->name, "ld-", 3) == 0))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(libraries); i++)
		if (strncmp(m->name, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

static enum keeper_hold hold_of(uint32_t number)
{
	switch (number) {
	case SYS_mmap:
		return KEEPER_HOLD_MMAP;
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return KEEPER_HOLD_MPROTECT;
	case SYS_mremap:
		return KEEPER_HOLD_MREMAP;
	default:
		return KEEPER_HOLD_ALWAYS; /* none of them */
	}
}

/* The number in mov $NUMBER, %eax; 0: another instruction. */
static uint32_t number_loaded(const struct insn *in)
{
	uint32_t number = 0;

	if (in->len == 5 && in->bytes[0] == 0xb8)
		memcpy(&number, in->bytes + 1, sizeof(number));
	return number;
}

static void add_place(struct mapping_place *places, size_t *found,
		      const struct mapping_place *place)
{
	for (size_t i = 0; i < *found; i++)
		if (places[i].at.v == place->at.v)
			return;
	if (*found < MAPPING_PLACES_MAX)
		places[(*found)++] = *place;
}

void mapping_code_scan(const uint8_t *code, size_t n, taddr at,
		       struct mapping_place places[MAPPING_PLACES_MAX], size_t *found)
{
	uint32_t number = 0;
	struct insn in;

	for (size_t i = 0; i < n; i += in.len) {
		if (decode(code + i, n - i, taddr_add(at, (int64_t)i), &in))
			return;
		if (in.kind == INSN_SYSCALL && hold_of(number) != KEEPER_HOLD_ALWAYS)
			add_place(places, found,
				  &(struct mapping_place){taddr_add(in.addr, in.len),
							  hold_of(number)});
		number = number_loaded(&in);
	}
}

/* A breakpoint that stands there already ends what is looked at. */
static void look_into(const struct target *target, taddr function,
		      struct mapping_place *places, size_t *found)
{
	uint8_t code[CODE_MAX];

	if (target_read(target, function, code, sizeof(code)) == 0)
		mapping_code_scan(code, sizeof(code), function, places, found);
}

size_t mapping_code_find(const struct target *target,
			 struct mapping_place places[MAPPING_PLACES_MAX])
{
	const struct modules *ms = target->modules;
	size_t found = 0;
	taddr at;

	for (size_t i = 0; i < ms->len; i++)
		for (size_t k = 0;
		     may_map(target, ms->data[i]) && k < ARRAY_LEN(functions); k++)
			if (!module_lookup_any(ms->data[i], functions[k], &at))
				look_into(target, at, places, &found);
	return found;
}
