/* SPDX-License-Identifier: MIT */
/*
 * An index is a hash table and two tables with a row for each unit and a column for each
 * section:
 *
 *	version, columns, rows, slots (4 bytes each)
 *	slots * id (8), slots * number of the row (4; 0: the slot is free)
 *	columns * number of the section (4)
 *	rows * columns * offset (4), rows * columns * size (4)
 */
#include "symbols/dwarf/package.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/image.h"
#include "symbols/elf/compressed.h"
#include "vm/base/bytes.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/vec.h"

#define HEADER	    16
#define COLUMNS_MAX 16
#define VERSION_GNU 2
#define VERSION_5   5
#define NO_STRING   UINT32_MAX

enum column {
	COLUMN_NONE,
	COLUMN_INFO,
	COLUMN_TYPES,
	COLUMN_ABBREV,
	COLUMN_LINE,
	COLUMN_LOC,
	COLUMN_LOCLISTS,
	COLUMN_STR_OFFSETS,
	COLUMN_RNGLISTS,
	COLUMNS,
};

static const char *const names[COLUMNS] = {
	[COLUMN_INFO] = ".debug_info.dwo",
	[COLUMN_TYPES] = ".debug_types.dwo",
	[COLUMN_ABBREV] = ".debug_abbrev.dwo",
	[COLUMN_LINE] = ".debug_line.dwo",
	[COLUMN_LOC] = ".debug_loc.dwo",
	[COLUMN_LOCLISTS] = ".debug_loclists.dwo",
	[COLUMN_STR_OFFSETS] = ".debug_str_offsets.dwo",
	[COLUMN_RNGLISTS] = ".debug_rnglists.dwo",
};
static const char strings_name[] = ".debug_str.dwo";

struct bytes {
	uint8_t *data; /* NULL: there is no such section */
	uint64_t size;
};

/* A compile unit or a type unit: its part of each section. */
struct unit {
	uint64_t origin; /* units of one .dwo file have the same */
	uint32_t at[COLUMNS], size[COLUMNS];
};

struct units {
	struct unit *data;
	size_t len, cap;
	struct map by_id; /* id -> 1 + index */
};

struct package {
	struct budget *budget; /* of its file */
	uint16_t machine;
	struct bytes sections[COLUMNS], strings;
	struct units compile, type; /* type units ascend by origin, not by_id */
};

static uint32_t load(const uint8_t *p)
{
	return (uint32_t)bytes_load(p, 4);
}

static int damaged(const struct package *p, const char *what, struct err *e)
{
	return err_set(e, STATUS_BADFMT, "'%s' is damaged: %s", p->budget->path, what);
}

static int too_large(const struct package *p, struct err *e)
{
	return err_set(
		e, STATUS_BADFMT,
		"'%s' is too large to be read: -x symlimit=SIZE raises the limit",
		p->budget->path);
}

/* ---- the index ---- */

static enum column column_of(uint32_t version, uint32_t number)
{
	static const uint8_t gnu[] = {
		0,	     COLUMN_INFO, COLUMN_TYPES,	     COLUMN_ABBREV,
		COLUMN_LINE, COLUMN_LOC,  COLUMN_STR_OFFSETS};
	static const uint8_t five[] = {0,
				       COLUMN_INFO,
				       0,
				       COLUMN_ABBREV,
				       COLUMN_LINE,
				       COLUMN_LOCLISTS,
				       COLUMN_STR_OFFSETS,
				       0,
				       COLUMN_RNGLISTS};

	if (version == VERSION_GNU)
		return number < ARRAY_LEN(gnu) ? gnu[number] : COLUMN_NONE;
	return number < ARRAY_LEN(five) ? five[number] : COLUMN_NONE;
}

/* The tables of an index, which are all in its section. */
struct index_tables {
	uint32_t version, columns, rows, slots;
	const uint8_t *ids, *numbers, *sections, *offsets, *sizes;
};

static int find_tables(const struct package *p, const struct bytes *b,
		       struct index_tables *t, struct err *e)
{
	uint64_t n;

	if (b->size < HEADER)
		return damaged(p, "its index is too short", e);
	t->version = load(b->data);
	t->columns = load(b->data + 4);
	t->rows = load(b->data + 8);
	t->slots = load(b->data + 12);
	if (t->version != VERSION_GNU && t->version != VERSION_5)
		return err_set(e, STATUS_UNSUP,
			       "version %u of the index of '%s' is not known: "
			       "versions 2 and 5 are",
			       (unsigned)t->version, p->budget->path);
	if (t->columns > COLUMNS_MAX)
		return damaged(p, "its index has too many columns", e);
	n = HEADER + (uint64_t)t->slots * 12 + (uint64_t)t->columns * 4 +
	    (uint64_t)t->rows * t->columns * 8;
	if (n > b->size)
		return damaged(p, "its index is too short", e);
	t->ids = b->data + HEADER;
	t->numbers = t->ids + (size_t)t->slots * 8;
	t->sections = t->numbers + (size_t)t->slots * 4;
	t->offsets = t->sections + (size_t)t->columns * 4;
	t->sizes = t->offsets + (size_t)t->rows * t->columns * 4;
	return 0;
}

/* False if a part is not in its section. */
static bool read_row(const struct package *p, const struct index_tables *t, size_t row,
		     struct unit *out)
{
	*out = (struct unit){0};
	for (size_t i = 0; i < t->columns; i++) {
		size_t at = (row * t->columns + i) * 4;
		uint32_t from = load(t->offsets + at), n = load(t->sizes + at);
		enum column c = column_of(t->version, load(t->sections + i * 4));
		uint64_t size = p->sections[c].size;

		if (c == COLUMN_NONE)
			continue;
		if (from > size || n > size - from)
			return false;
		out->at[c] = from;
		out->size[c] = n;
	}
	out->origin =
		(uint64_t)out->at[COLUMN_ABBREV] << 32 | out->at[COLUMN_STR_OFFSETS];
	return true;
}

static int read_tables(struct package *p, const struct bytes *b, struct units *out,
		       struct err *e)
{
	struct index_tables t = {0};
	int rc = find_tables(p, b, &t, e);

	if (rc)
		return rc;
	if (!budget_take(p->budget, (uint64_t)t.slots * 2 * sizeof(struct unit),
			 "a part of its index"))
		return too_large(p, e);
	for (size_t i = 0; i < t.slots; i++) {
		uint32_t number = load(t.numbers + i * 4);
		struct unit u;

		if (!number)
			continue;
		if (number > t.rows || !read_row(p, &t, number - 1, &u))
			return damaged(p, "its index names what it does not have", e);
		*vec_push(out) = u;
		map_set(&out->by_id, bytes_load(t.ids + i * 8, 8), out->len);
	}
	return 0;
}

static int read_index(struct package *p, const struct elf_file *f, const char *name,
		      struct units *out, struct err *e)
{
	const Elf64_Shdr *s = elf_section(f, SHT_PROGBITS, name);
	struct bytes b = {0};
	int rc;

	if (!s)
		return 0;
	b.data = compressed_read(f, s, &b.size);
	rc = b.data ? read_tables(p, &b, out, e)
		    : damaged(p, "its index cannot be read", e);
	free(b.data);
	return rc;
}

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return (x->origin > y->origin) - (x->origin < y->origin);
}

static int read_section(const struct package *p, const struct elf_file *f,
			const char *name, struct bytes *out, struct err *e)
{
	const Elf64_Shdr *s = elf_section(f, SHT_PROGBITS, name);

	if (!s)
		return 0;
	out->data = compressed_read(f, s, &out->size);
	return out->data ? 0 : damaged(p, "a section cannot be read", e);
}

int package_open(const struct elf_file *f, struct package **out, struct err *e)
{
	struct package *p = oom_calloc(1, sizeof(*p));
	int rc;

	p->budget = f->budget;
	p->machine = f->header.e_machine;
	rc = read_section(p, f, strings_name, &p->strings, e);
	for (size_t i = COLUMN_NONE + 1; !rc && i < COLUMNS; i++)
		rc = read_section(p, f, names[i], &p->sections[i], e);
	if (!rc)
		rc = read_index(p, f, ".debug_cu_index", &p->compile, e);
	if (!rc)
		rc = read_index(p, f, ".debug_tu_index", &p->type, e);
	if (!rc && !p->compile.len)
		rc = damaged(p, "its index has no unit", e);
	if (p->type.len)
		qsort(p->type.data, p->type.len, sizeof(*p->type.data), compare_units);
	if (rc) {
		package_close(p);
		p = NULL;
	}
	*out = p;
	return rc;
}

void package_close(struct package *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < COLUMNS; i++)
		free(p->sections[i].data);
	free(p->strings.data);
	vec_release(&p->compile);
	vec_release(&p->type);
	map_release(&p->compile.by_id);
	map_release(&p->type.by_id);
	free(p);
}

bool package_has(const struct package *p, uint64_t id)
{
	return map_get(&p->compile.by_id, id, NULL);
}

/* ---- one unit ---- */

struct parts {
	struct image_section *data;
	size_t len, cap;
};

static void add_part(const struct package *p, const struct unit *u, enum column c,
		     struct parts *out)
{
	if (u->size[c])
		*vec_push(out) = (struct image_section){
			names[c], p->sections[c].data + u->at[c], u->size[c]};
}

/* The part of the unit and those of the type units that are from the same .dwo file. */
static void add_parts(const struct package *p, const struct unit *u, enum column c,
		      struct parts *out)
{
	size_t i = 0;

	add_part(p, u, c, out);
	if (p->type.len && u->origin)
		i = search_at_most(&p->type.data->origin, p->type.len,
				   sizeof(*p->type.data), u->origin - 1);
	for (; i < p->type.len && p->type.data[i].origin == u->origin; i++)
		add_part(p, &p->type.data[i], c, out);
}

/* The bytes of the header that a table of strings has since DWARF 5. */
static size_t header_of(const struct package *p, const struct unit *u)
{
	const uint8_t *info = p->sections[COLUMN_INFO].data;

	if (u->size[COLUMN_INFO] < 6)
		return 0;
	return bytes_load(info + u->at[COLUMN_INFO] + 4, 2) >= 5 ? 8 : 0;
}

/*
 * A copy of the table of strings that the unit uses, and of these strings: a package has
 * those of all units.
 */
static int copy_strings(const struct package *p, const struct unit *u,
			struct strbuf *offsets, struct strbuf *strings, struct err *e)
{
	const uint8_t *from = p->sections[COLUMN_STR_OFFSETS].data;
	uint64_t left = p->budget->max - p->budget->spent;
	size_t n = u->size[COLUMN_STR_OFFSETS], at = header_of(p, u);

	if (!n)
		return 0;
	from += u->at[COLUMN_STR_OFFSETS];
	if (n < at || (at && load(from) == UINT32_MAX))
		return damaged(p, "it has no 32-bit tables of strings", e);
	strbuf_add(offsets, from, at);
	for (; at + 4 <= n; at += 4) {
		uint32_t to = (uint32_t)strings->len, is = load(from + at);
		size_t len = 0;

		if (is < p->strings.size)
			len = strnlen((char *)p->strings.data + is,
				      p->strings.size - is);
		if (offsets->len + strings->len + len > left ||
		    strings->len + len > UINT32_MAX - 1)
			return too_large(p, e);
		if (is >= p->strings.size)
			to = NO_STRING;
		else
			strbuf_add(strings, p->strings.data + is, len);
		if (to != NO_STRING)
			strbuf_putc(strings, 0);
		strbuf_add(offsets, &to, sizeof(to));
	}
	return 0;
}

static int make_image(const struct package *p, struct parts *parts, struct strbuf *out,
		      struct err *e)
{
	uint64_t left = p->budget->max - p->budget->spent, n = 0;

	for (size_t i = 0; i < parts->len; i++)
		n += parts->data[i].size;
	if (n > left)
		return too_large(p, e);
	image_make(p->machine, parts->data, parts->len, out);
	return 0;
}

int package_image(const struct package *p, uint64_t id, struct strbuf *out,
		  struct err *e)
{
	struct strbuf offsets = {0}, strings = {0};
	struct parts parts = {0};
	const struct unit *u;
	uint64_t i;
	int rc;

	if (!map_get(&p->compile.by_id, id, &i))
		return err_set(e, STATUS_NOENT, "'%s' does not have it",
			       p->budget->path);
	u = &p->compile.data[i - 1];
	rc = copy_strings(p, u, &offsets, &strings, e);
	add_parts(p, u, COLUMN_INFO, &parts);
	add_parts(p, u, COLUMN_TYPES, &parts);
	for (enum column c = COLUMN_ABBREV; c < COLUMNS; c++)
		if (c != COLUMN_STR_OFFSETS)
			add_part(p, u, c, &parts);
	if (strings.len) {
		*vec_push(&parts) = (struct image_section){names[COLUMN_STR_OFFSETS],
							   offsets.data, offsets.len};
		*vec_push(&parts) =
			(struct image_section){strings_name, strings.data, strings.len};
	}
	if (!rc)
		rc = make_image(p, &parts, out, e);
	vec_release(&parts);
	strbuf_release(&offsets);
	strbuf_release(&strings);
	return rc;
}
