/* SPDX-License-Identifier: MIT */
/*
 * Opens files of debug entries with libdw, and converts between entries and refs. libdw
 * checks most of what it reads. What it does not check is checked here: how far
 * sections expand, and that names end in their section.
 */
#include "symbols/dwarf/internal.h"
#include "symbols/elf/compressed.h"
#include "symbols/elf/elf.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/vec.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_BYTES	65536
#define EXPANSION_MAX	2000		    /* the maximum of zlib is 1032 */
#define REF_TYPES	(UINT64_C(1) << 62) /* the entry is in .debug_types */
#define REF_SHARED	(UINT64_C(1) << 63) /* it is in the shared file */
#define REF_SPLIT_SHIFT 40		    /* 1 + number of the .dwo file; 0: none */
#define REF_OFFSET_MASK ((UINT64_C(1) << REF_SPLIT_SHIFT) - 1)

void dwarf_part_close(struct dwarf_part *p)
{
	vec_release(&p->sections);
	dwarf_end(p->dwarf);
	elf_end(p->elf);
	if (p->fd >= 0)
		close(p->fd);
}

/* libdw has already read and expanded these sections. */
void dwarf_find_sections(Elf *elf, struct section_table *out)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const Elf64_Shdr *h = elf64_getshdr(scn);
		const char *name = h ? elf_strptr(elf, names, h->sh_name) : NULL;
		Elf_Data *data;

		if (!name ||
		    (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8)))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			*vec_push(out) = (struct section_bytes){
				data->d_buf, (char *)data->d_buf + data->d_size};
	}
}

/* The last name of a section may have no end in it. */
static bool is_terminated(const struct section_table *t, const char *text)
{
	for (size_t i = 0; i < t->len; i++) {
		const struct section_bytes *s = &t->data[i];

		if (text >= s->lo && text < s->hi)
			return memchr(text, 0,
				      min_u64((uint64_t)(s->hi - text),
					      NAME_MAX_BYTES)) != NULL;
	}
	return false;
}

/* ELF_C_READ uses pread(2): a file that shrinks causes an error and no SIGBUS. */
static int part_open(struct dwarf_part *p, const struct elf_file *f, struct err *e)
{
	elf_version(EV_CURRENT);
	p->fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	if (p->fd < 0)
		return err_errno(e, STATUS_IO, "cannot read debugging data");
	p->elf = elf_begin(p->fd, ELF_C_READ, NULL);
	p->dwarf = p->elf ? dwarf_begin_elf(p->elf, DWARF_C_READ, NULL) : NULL;
	if (!p->dwarf)
		return err_set(e, STATUS_BADFMT, "its debugging data is damaged: %s",
			       dwarf_errmsg(-1));
	dwarf_find_sections(p->elf, &p->sections);
	return 0;
}

static bool is_debug_name(const char *name)
{
	static const char *const begins[] = {".debug_", ".zdebug_", ".gnu.debuglto_"};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* What the sections claim; impossible claims are rejected. */
int dwarf_check_sections(const struct elf_file *f, struct err *e)
{
	for (size_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		const char *name = elf_section_name(f, s);
		struct compressed c;

		if (!is_debug_name(name) && !(s->sh_flags & SHF_COMPRESSED))
			continue;
		c = compressed_header(f, s);
		if (c.how == COMPRESSED_ZSTD || c.how == COMPRESSED_OTHER)
			return err_set(e, STATUS_UNSUP,
				       "its section %s is compressed by other means "
				       "than zlib: link it with "
				       "--compress-debug-sections=zlib",
				       name);
		if (c.size / EXPANSION_MAX > s->sh_size)
			return err_set(e, STATUS_BADFMT, "its section %s is damaged",
				       name);
		if (s->sh_type != SHT_NOBITS &&
		    (s->sh_size > f->size ||
		     !budget_take(f->budget, s->sh_size + c.size, name)))
			return err_set(e, STATUS_BADFMT,
				       "its debugging data is too large to be read: "
				       "-x symlimit=SIZE raises the limit");
	}
	return 0;
}

int dwarf_open(const struct elf_file *f, const struct elf_file *shared,
	       struct dwarf_file **out, struct err *e)
{
	struct dwarf_file *d;
	int rc = 0;

	if (!elf_section(f, SHT_PROGBITS, ".debug_info") &&
	    !elf_section(f, SHT_PROGBITS, ".zdebug_info"))
		return err_set(e, STATUS_NOENT,
			       "it has no debugging data: compile it with -g");
	rc = dwarf_check_sections(f, e);
	if (!rc && shared)
		rc = dwarf_check_sections(shared, e);
	if (rc)
		return rc;
	d = oom_calloc(1, sizeof(*d));
	d->main.fd = d->shared.fd = d->split.part.fd = -1;
	rc = part_open(&d->main, f, e);
	if (!rc && shared)
		rc = part_open(&d->shared, shared, e);
	if (rc) {
		dwarf_close(d);
		return rc;
	}
	/* libdw opens the files that .gnu_debugaltlink names unless it is given one */
	dwarf_setalt(d->main.dwarf, shared ? d->shared.dwarf : d->main.dwarf);
	if (shared)
		dwarf_setalt(d->shared.dwarf, d->shared.dwarf);
	d->kept = f->budget->spent + (shared ? shared->budget->spent : 0);
	budget_keep(d->kept);
	d->index_max = f->budget->max;
	*out = d;
	return 0;
}

void dwarf_close(struct dwarf_file *d)
{
	if (!d)
		return;
	budget_forget(d->kept);
	dwarf_split_close(d);
	dwarf_part_close(&d->main);
	dwarf_part_close(&d->shared);
	free(d);
}

uint64_t dwarf_ref_of(struct dwarf_file *d, Dwarf_Die *die)
{
	Dwarf_Half version = 0;
	uint8_t unit = 0;
	uint64_t ref = dwarf_dieoffset(die) & REF_OFFSET_MASK;
	const struct dwarf_unit_pair *pair = dwarf_pair_of(d, die->cu);

	if (dwarf_cu_info(die->cu, &version, &unit, NULL, NULL, NULL, NULL, NULL))
		return 0;
	if (version < 5 && unit == DW_UT_type)
		ref |= REF_TYPES;
	if (d->shared.dwarf && dwarf_cu_getdwarf(die->cu) == d->shared.dwarf)
		ref |= REF_SHARED;
	if (pair)
		ref |= (uint64_t)(pair - d->split.pairs.data + 1) << REF_SPLIT_SHIFT;
	return ref;
}

bool dwarf_die_at(struct dwarf_file *d, uint64_t ref, Dwarf_Die *die)
{
	uint64_t pair = (ref & (REF_TYPES - 1)) >> REF_SPLIT_SHIFT;
	Dwarf_Off offset = ref & REF_OFFSET_MASK;
	Dwarf *from = ref & REF_SHARED ? d->shared.dwarf : d->main.dwarf;

	if (pair > d->split.pairs.len)
		return false;
	if (pair)
		from = dwarf_cu_getdwarf(d->split.pairs.data[pair - 1].unit.cu);
	if (!ref || !from)
		return false;
	return ref & REF_TYPES ? dwarf_offdie_types(from, offset, die)
			       : dwarf_offdie(from, offset, die);
}

bool dwarf_has_room(struct dwarf_file *d, uint64_t n)
{
	if (n > d->index_max || budget_is_over())
		return false;
	d->index_max -= n;
	d->kept += n;
	budget_keep(n);
	return true;
}

/* The sections of .dwo files, which may be many, are sorted by address. */
static bool is_terminated_split(const struct section_table *t, const char *text)
{
	size_t found =
		t->len ? search_at_most((const uint64_t *)(const void *)t->data, t->len,
					sizeof(*t->data), (uint64_t)(uintptr_t)text)
		       : 0;
	struct section_table one;

	if (!found)
		return false;
	one = (struct section_table){&t->data[found - 1], 1, 1};
	return is_terminated(&one, text);
}

bool dwarf_is_name(const struct dwarf_file *d, const char *text)
{
	return is_terminated(&d->main.sections, text) ||
	       is_terminated(&d->shared.sections, text) ||
	       is_terminated_split(&d->split.part.sections, text);
}
