/* SPDX-License-Identifier: MIT */
#include "tracer/targets/ifunc.h"

#include <stdlib.h>

#include "disasm/disasm.h"
#include "tracer/targets/target.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"

#define CHOICES_MAX  64
#define RESOLVER_MAX 65536 /* bytes of its code that are read */

struct search {
	const struct target *target;
	const struct module *module;
	uint64_t values[CHOICES_MAX]; /* addresses in the file (st_value) */
	size_t n;
	const uint8_t *bytes; /* of the part that is scanned, */
	taddr lo;	      /* which begins here */
};

/* Adds the address as a variant if a function begins there. */
static void consider(struct search *s, taddr address)
{
	const struct symbol *f = module_at(s->module, address);

	if (!f || f->is_ifunc || module_address(s->module, f->value).v != address.v)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->values[i] == f->value)
			return;
	if (s->n < CHOICES_MAX)
		s->values[s->n++] = f->value;
}

/* lea f(%rip); mov f@GOTPCREL(%rip); mov $f, in a program linked for one address. */
static void look_at(void *ctx, const struct scan_site *site)
{
	struct search *s = ctx;
	const uint8_t *bytes = s->bytes + site->offset, *end = bytes + site->len;
	taddr at = taddr_add(s->lo, site->offset);
	struct insn in;
	uint64_t word;

	if (decode_quick(bytes, site->len, at, &in) != 0)
		return;
	at = taddr_add(at, site->len);
	if (in.rip_relative && in.has_mem) {
		at = taddr_add(at, in.mem.disp);
		if (in.opcode == 0x8d)
			consider(s, at);
		else if (in.opcode == 0x8b &&
			 target_read(s->target, at, &word, sizeof(word)) == 0)
			consider(s, taddr_of(word));
	} else if (in.len >= 5 && ((in.opcode & 0xf8) == 0xb8 || in.opcode == 0xc7)) {
		consider(s, taddr_of(bytes_load(end - 4, 4)));
	}
}

static void scan_part(struct search *s, uint64_t value, uint64_t size)
{
	const taddr lo = module_address(s->module, value);
	size_t n = (size_t)min_u64(size, RESOLVER_MAX);
	const struct addr_range range = {lo, taddr_add(lo, (int64_t)n)};
	uint8_t *bytes = oom_realloc(NULL, n);
	const struct scan_request req = {.bytes = bytes,
					 .n = n,
					 .ranges = &range,
					 .nranges = 1,
					 .site = look_at,
					 .ctx = s};
	uint32_t bad;

	s->bytes = bytes;
	s->lo = lo;
	/* the scan ends at bytes that are no instruction: they are not of the resolver */
	if (target_read(s->target, lo, bytes, n) == 0)
		scan_function(&req, &bad);
	free(bytes);
}

size_t ifunc_choices(const struct target *target, const struct module *m,
		     const struct symbol *ifunc,
		     void (*found)(void *ctx, const struct symbol *s), void *ctx)
{
	struct search s = {.target = target, .module = m};

	scan_part(&s, ifunc->value, ifunc->size);
	for (uint32_t i = 0; i < ifunc->nparts; i++) {
		const struct symbol_part *p = &m->parts[ifunc->first_part + i];

		scan_part(&s, p->value, p->size);
	}
	for (size_t i = 0; i < s.n; i++)
		found(ctx, module_at(m, module_address(m, s.values[i])));
	return s.n;
}

const struct symbol *ifunc_chosen(const struct target *target, const struct module *m,
				  const struct symbol *ifunc, struct module **owner)
{
	const struct symbol *chosen;
	uint64_t at;
	taddr slot;

	if (!module_chosen_slot(m, ifunc, &slot) ||
	    target_read(target, slot, &at, sizeof(at)) != 0)
		return NULL;
	*owner = modules_at(target->modules, taddr_of(at));
	chosen = *owner ? module_at(*owner, taddr_of(at)) : NULL;
	return chosen && module_address(*owner, chosen->value).v == at ? chosen : NULL;
}
