/* SPDX-License-Identifier: MIT */
/*
 * The table begins with a header. Its magic number gives the version:
 *
 *	Go 1.2	 magic 0 0 1 8 | functions
 *	Go 1.16	 magic 0 0 1 8 | functions files | names ... entries
 *	Go 1.18	 magic 0 0 1 8 | functions files text | names ... entries
 *	Go 1.20	 as 1.18
 *
 * 1 is the smallest instruction, 8 the size of an address. "names ... entries" are the
 * offsets, from the header, of names, units, files, values by pc, and entries. (Go:
 * src/debug/gosym/pclntab.go, src/runtime/symtab.go.)
 *
 * Entries are in address order, one pair for each function: its address, and the offset
 * of its record. After the last pair comes the end of the last function. A record has
 * the address again, the offset of the name, the size of the arguments, where in the
 * function its call of runtime.deferreturn is (or 0; before 1.14 it was something else),
 * and the offsets of three tables of values by pc: stack depths, files, lines. Since 1.18
 * addresses are 32 bits wide and count from text.
 */
#include "symbols/elf/gotable.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/vec.h"
#include "vm/base/str.h"

enum {
	MAGIC_SIZE = 8,
	NAME_LEN_MAX = 4096,
	TABLE_ALIGN = 32,
	NOTE_GO_BUILD_ID = 4,
};

struct table {
	int version;
	const uint8_t *p; /* n bytes, then a zero */
	size_t n;
	unsigned width; /* of an entry's two words */
	size_t nentries;
	size_t entries; /* offsets in it */
	size_t names, records, values;
	uint64_t text; /* added to the addresses of entries */
};

/* ---- finding the table ---- */

static int version_of(const uint8_t *p)
{
	static const struct {
		uint32_t magic;
		int version;
	} versions[] = {
		{0xfffffffb, 2},
		{0xfffffffa, 16},
		{0xfffffff0, 18},
		{0xfffffff1, 20},
	};

	if (memcmp(p + 4, "\0\0\1\10", 4) != 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		if (bytes_load(p, 4) == versions[i].magic)
			return versions[i].version;
	return 0;
}

/* The n bytes at vaddr, relocated at bias 0; to free(). */
static uint8_t *read_relocated(const struct elf_file *f, uint64_t vaddr, uint64_t n)
{
	uint64_t offset;
	uint8_t *p;

	if (!elf_offset(f, vaddr, n, &offset))
		return NULL;
	p = elf_read(f, offset, n);
	if (p)
		elf_relocate(f, vaddr, p, n);
	return p;
}

/* Go's linker gives it a section, .gopclntab or .data.rel.ro.gopclntab. */
static uint8_t *read_section(const struct elf_file *f, size_t *n)
{
	for (size_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type != SHT_PROGBITS || s->sh_size < MAGIC_SIZE ||
		    !str_has_end(elf_section_name(f, s), ".gopclntab"))
			continue;
		*n = (size_t)s->sh_size;
		return read_relocated(f, s->sh_addr, s->sh_size);
	}
	return NULL;
}

static uint8_t *read_from_segment(const struct elf_file *f, const Elf64_Phdr *p,
				  size_t *n)
{
	uint8_t *bytes = elf_read(f, p->p_offset, p->p_filesz), *table = NULL;
	uint64_t at = align_up(p->p_vaddr, TABLE_ALIGN) - p->p_vaddr;

	for (; bytes && p->p_filesz >= MAGIC_SIZE && at <= p->p_filesz - MAGIC_SIZE &&
	       !table;
	     at += TABLE_ALIGN) {
		if (!version_of(bytes + at))
			continue;
		*n = (size_t)(p->p_filesz - at);
		table = read_relocated(f, p->p_vaddr + at, *n);
	}
	free(bytes);
	return table;
}

/* If the sections were merged or removed: a Go program is recognized by its note. */
static uint8_t *search_segments(const struct elf_file *f, size_t *n)
{
	uint8_t id[256], *table = NULL;

	if (!elf_note(f, "Go", NOTE_GO_BUILD_ID, id, sizeof(id)))
		return NULL;
	for (size_t i = 0; i < f->nsegments && !table; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_X))
			table = read_from_segment(f, p, n);
	}
	return table;
}

/* ---- reading it ---- */

static uint64_t word_at(const struct table *t, size_t at)
{
	return at <= t->n && t->n - at >= 8 ? bytes_load(t->p + at, 8) : 0;
}

/* The header may leave it 0 (a later Go might): then it is the beginning of .text. */
static uint64_t text_of(const struct elf_file *f, const struct table *t)
{
	uint64_t text = word_at(t, 24);
	const Elf64_Shdr *s = text ? NULL : elf_section(f, SHT_PROGBITS, ".text");

	return s ? s->sh_addr : text;
}

static bool open_table(const struct elf_file *f, struct table *t)
{
	int version = t->version = version_of(t->p);

	t->width = version >= 18 ? 4 : 8;
	t->text = version >= 18 ? text_of(f, t) : 0;
	if (version == 2) {
		t->entries = 16;
	} else {
		t->names = (size_t)word_at(t, version >= 18 ? 32 : 24);
		t->values = (size_t)word_at(t, version >= 18 ? 56 : 48);
		t->entries = t->records = (size_t)word_at(t, version >= 18 ? 64 : 56);
	}
	if (!version || t->names > t->n || t->values > t->n || t->entries > t->n)
		return false;
	t->nentries = (t->n - t->entries) / (2 * t->width);
	t->nentries = (size_t)min_u64(t->nentries, word_at(t, 8));
	/* the last pair is followed by the end of its function */
	return t->nentries * 2 * t->width + t->width <= t->n - t->entries;
}

/* The address of function i; for i = nentries the end of the last one. */
static uint64_t start_of(const struct table *t, size_t i)
{
	return t->text + bytes_load(t->p + t->entries + i * 2 * t->width, t->width);
}

/* The record of function i, with at least 24 bytes after its address; or NULL. */
static const uint8_t *record_of(const struct table *t, size_t i)
{
	const uint8_t *entry = t->p + t->entries + i * 2 * t->width;
	uint64_t at = bytes_load(entry + t->width, t->width);

	if (at >= t->n - t->records || t->n - t->records - at < t->width + 24)
		return NULL;
	return t->p + t->records + at;
}

static const char *name_of(const struct table *t, const uint8_t *record)
{
	uint64_t name = bytes_load(record + t->width, 4);

	if (name >= t->n - t->names)
		return NULL;
	name += t->names;
	if (!memchr(t->p + name, 0, (size_t)min_u64(t->n - name + 1, NAME_LEN_MAX)))
		return NULL;
	return (const char *)t->p + name;
}

/* ---- its functions ---- */

static bool read_varint(const struct table *t, size_t *at, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 35 && *at < t->n; shift += 7) {
		uint8_t byte = t->p[(*at)++];

		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/*
 * How many bytes of a function of at most max bytes the table of values by pc at offset
 * at covers. Such a table has pairs of steps, of value and pc; a value step of 0 ends
 * it.
 */
static uint64_t covered_by(const struct table *t, size_t at, uint64_t max)
{
	uint64_t value, step, sum = 0;

	/* each step covers at least one byte, so more than max steps are invalid */
	for (uint64_t i = 0; i < max && sum < max; i++) {
		if (!read_varint(t, &at, &value) || (!value && i) ||
		    !read_varint(t, &at, &step))
			break;
		sum += step;
	}
	return min_u64(sum, max);
}

/*
 * The size without the padding before the next function, which the tables of stack
 * depths, files and lines do not cover.
 */
static uint64_t size_of(const struct table *t, const uint8_t *record, uint64_t max)
{
	uint64_t most = 0;

	for (size_t i = 0; i < 3; i++) {
		uint64_t at = bytes_load(record + t->width + 12 + 4 * i, 4);

		if (at && at < t->n - t->values)
			most = max_u64(most,
				       covered_by(t, t->values + (size_t)at, max));
	}
	return most ? most : max;
}

static void add_function(struct candidates *c, uint64_t value, uint64_t size,
			 const char *name)
{
	struct candidate *x = vec_push(c);

	*x = (struct candidate){0};
	x->symbol.name = name;
	x->symbol.value = value;
	x->symbol.size = size;
}

static size_t add_functions(const struct elf_file *f, const struct table *t,
			    const struct code_areas *areas, struct candidates *c)
{
	size_t before = c->len;
	uint64_t end = 0; /* of the functions so far: they must ascend */

	for (size_t i = 0; i < t->nentries; i++) {
		const uint8_t *record = record_of(t, i);
		const char *name = record ? name_of(t, record) : NULL;
		uint64_t lo = start_of(t, i), hi = start_of(t, i + 1);

		if (!name || !name[0] || lo < end || lo >= hi ||
		    !code_areas_hold(areas, lo, hi - lo))
			continue;
		if (!candidates_have_room(c, f))
			break;
		add_function(c, lo, size_of(t, record, hi - lo), name);
		end = hi;
	}
	return c->len - before;
}

/* The bytes of the table, to free(); NULL: there is none. */
static uint8_t *read_table(const struct elf_file *f, struct table *t)
{
	uint8_t *bytes = read_section(f, &t->n);

	if (!bytes)
		bytes = search_segments(f, &t->n);
	t->p = bytes;
	if (bytes && open_table(f, t))
		return bytes;
	free(bytes);
	return NULL;
}

size_t gotable_add(const struct elf_file *f, const struct code_areas *areas,
		   struct candidates *c, uint8_t **bytes)
{
	struct table t = {0};
	size_t n = 0;

	*bytes = read_table(f, &t);
	if (*bytes)
		n = add_functions(f, &t, areas, c);
	if (!n) {
		free(*bytes);
		*bytes = NULL;
	}
	return n;
}

/* ---- where they go on after recover() ---- */

void gotable_read_resumed(const struct elf_file *f, void (*add)(void *ctx, uint64_t at),
			  void *ctx)
{
	struct table t = {0};
	uint8_t *bytes = read_table(f, &t);

	for (size_t i = 0; bytes && i < t.nentries; i++) {
		const uint8_t *record = record_of(&t, i);
		const uint64_t start = start_of(&t, i);
		uint64_t at = record ? bytes_load(record + t.width + 8, 4) : 0;

		if (at && start + at < start_of(&t, i + 1))
			add(ctx, start + at);
	}
	free(bytes);
}

/* ---- how they are called ---- */

/* Functions in assembly that a program has room for: the library of Go has some 300. */
#define ASSEMBLY_MAX 65536

/* Go: src/internal/abi/symtab.go */
enum function_flags { FLAG_TOP_FRAME = 1, FLAG_SP_WRITE = 2, FLAG_ASSEMBLY = 4 };

/* Go 1.17 and 1.16 have the same table; only one of them uses registers. */
static enum regs_convention convention_of(const struct table *t)
{
	if (t->version >= 18)
		return REGS_CONVENTION_GO;
	return t->version < 16 ? REGS_CONVENTION_GO_STACK : REGS_CONVENTION_UNKNOWN;
}

/* After nine words come the function's id and its flags; 1.20 has one word more. */
static uint8_t flags_of(const struct table *t, const uint8_t *record)
{
	size_t at = t->version >= 20 ? 41 : 37;

	return record && (size_t)(t->p + t->n - record) > at ? record[at] : 0;
}

static bool add_assembly(const struct elf_file *f, struct go_code *out, uint64_t start,
			 uint8_t flags)
{
	struct go_assembly function = {
		.start = start, .is_edge = flags & (FLAG_TOP_FRAME | FLAG_SP_WRITE)};

	if (out->assembly.len == ASSEMBLY_MAX ||
	    !budget_take(f->budget, sizeof(function), "functions in assembly"))
		return false;
	*vec_push(&out->assembly) = function;
	return true;
}

void gotable_read_code(const struct elf_file *f, struct go_code *out)
{
	struct table t = {0};
	uint8_t *bytes = read_table(f, &t);
	uint64_t last = 0; /* they must ascend */

	if (!bytes)
		return;
	out->lo = start_of(&t, 0);
	out->hi = start_of(&t, t.nentries);
	out->convention = convention_of(&t);
	for (size_t i = 0; i < t.nentries && out->convention == REGS_CONVENTION_GO;
	     i++) {
		uint64_t start = start_of(&t, i);
		uint8_t flags = flags_of(&t, record_of(&t, i));

		if (!(flags & FLAG_ASSEMBLY))
			continue;
		if (start < last || !add_assembly(f, out, start, flags))
			out->convention = REGS_CONVENTION_UNKNOWN;
		last = start;
	}
	free(bytes);
}

const struct go_assembly *go_code_assembly(const struct go_code *go, uint64_t start)
{
	size_t n = go->assembly.len, i = 0;
	const struct go_assembly *all = go->assembly.data;

	if (n)
		i = search_at_most(&all->start, n, sizeof(*all), start);
	return i && all[i - 1].start == start ? &all[i - 1] : NULL;
}
