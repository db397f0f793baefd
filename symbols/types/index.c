/* SPDX-License-Identifier: MIT */
/*
 * The index of types, variables and functions: names and addresses. One scan over the
 * outer entries of all units makes it when it is first needed. Everything else is read
 * from the entries on demand.
 */
#include "symbols/types.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf/budget.h"
#include "symbols/elf/debugfile.h"
#include "symbols/types/internal.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/secret.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

int types_open(const struct elf_file *f, int tid, const char *path,
	       struct module_types **out, struct err *e)
{
	struct module_types *mt = oom_calloc(1, sizeof(*mt));
	struct elf_file shared;
	bool has_shared;
	int rc = debugfile_open_shared(f, tid, &shared, &has_shared, e);

	if (rc == 0)
		rc = dwarf_open(f, has_shared ? &shared : NULL, &mt->dwarf, e);
	if (has_shared)
		elf_release(&shared);
	if (rc) {
		module_types_close(mt);
		return rc;
	}
	dwarf_open_split(mt->dwarf, f, tid, path);
	*out = mt;
	return 0;
}

void module_types_close(struct module_types *mt)
{
	if (!mt)
		return;
	dwarf_close(mt->dwarf);
	vec_release(&mt->named);
	index_release(&mt->by_name);
	strmap_release(&mt->spaces);
	map_release(&mt->definitions);
	map_release(&mt->same);
	vec_release(&mt->functions);
	vec_release(&mt->inlines);
	vec_release(&mt->copies);
	vec_release(&mt->calls);
	free(mt);
}

/* ---- the index ---- */

/* Bytes of memory for one entry. */
#define ENTRY_BYTES 56
/* Longer names are not asked for. */
#define INDEXED_MAX 4096

char types_letter(enum entry_tag tag)
{
	switch (tag) {
	case ENTRY_STRUCT:
		return 's';
	case ENTRY_UNION:
		return 'u';
	case ENTRY_ENUM:
		return 'e';
	case ENTRY_TYPEDEF:
	case ENTRY_BASE:
		return 't';
	case ENTRY_VARIABLE:
		return 'v';
	default:
		return 0;
	}
}

static uint64_t hash_name(char letter, const char *name)
{
	return hash_bytes(name, strlen(name), secret_number() ^ (uint8_t)letter);
}

void types_each_named(struct module_types *mt, char letter, const char *name,
		      bool (*visit)(void *ctx, const struct types_named *n), void *ctx)
{
	uint32_t i = index_first(&mt->by_name, hash_name(letter, name));

	for (; i && !budget_is_over(); i = index_next(&mt->by_name, i)) {
		const struct types_named *n = &mt->named.data[i - 1];

		if (n->letter == letter && strcmp(n->name, name) == 0 && !visit(ctx, n))
			return;
	}
}

#define EARLIER_MAX 64 /* entries of a name among which the same one is searched */

struct joining {
	struct types_named *added;
	unsigned left;
	bool is_known;
};

/* Of entries that are one the first definition is kept. */
static bool join(void *ctx, const struct types_named *seen)
{
	struct joining *j = ctx;
	struct types_named *old = (struct types_named *)(uintptr_t)seen;

	if (old->space == j->added->space &&
	    (j->added->is_declaration || (old->is_shared && j->added->is_shared))) {
		if (old->is_declaration && !j->added->is_declaration)
			*old = *j->added;
		j->is_known = true;
	}
	return !j->is_known && j->left-- > 0;
}

static void add_named(struct module_types *mt, struct types_named *n)
{
	struct joining j = {n, EARLIER_MAX, false};

	types_each_named(mt, n->letter, n->name, join, &j);
	if (j.is_known || !dwarf_has_room(mt->dwarf, ENTRY_BYTES))
		return;
	*vec_push(&mt->named) = *n;
	index_add(&mt->by_name, hash_name(n->letter, n->name));
}

void types_inherit(const struct module_types *mt, struct entry *e)
{
	struct entry from;
	uint64_t origin = e->origin;

	for (int i = 0; i < TYPES_CHAIN_MAX && origin; i++) {
		if (!dwarf_entry(mt->dwarf, origin, &from))
			return;
		e->name = e->name ? e->name : from.name;
		e->link_name = e->link_name ? e->link_name : from.link_name;
		e->type = e->type ? e->type : from.type;
		e->convention = e->convention ? e->convention : from.convention;
		e->is_external |= from.is_external;
		e->is_prototyped |= from.is_prototyped;
		origin = from.origin;
	}
}

/* Pieces of one function that are looked at. The compiler makes two: hot and cold. */
#define PIECES_MAX 8

static void index_function(struct module_types *mt, const struct entry *e)
{
	uint64_t starts[PIECES_MAX];
	size_t n = 0;

	if (e->location == LOCATION_ADDRESS && e->address)
		starts[n++] = e->address;
	else if (e->has_code)
		n = dwarf_piece_starts(mt->dwarf, e->ref, starts, ARRAY_LEN(starts));
	/* of several pieces any may be the first: a symbol tells which */
	for (size_t i = 0; i < n && dwarf_has_room(mt->dwarf, ENTRY_BYTES); i++)
		*vec_push(&mt->functions) = (struct types_function){starts[i], e->ref};
	if (!e->has_code && !e->is_declaration &&
	    dwarf_has_room(mt->dwarf, ENTRY_BYTES))
		*vec_push(&mt->inlines) = e->ref;
}

static bool add_space_name(struct strbuf *out, const struct dwarf_space *space)
{
	bool is_named = true;

	if (space->outer)
		is_named = add_space_name(out, space->outer);
	strbuf_printf(out, "%s::", space->name ? space->name : DWARF_UNNAMED);
	return is_named && space->name;
}

/* The number of namespaces; *is_named: all have names, so each unit sees them. */
static uint32_t number_space(struct module_types *mt, const struct dwarf_space *space,
			     bool *is_named)
{
	struct strbuf path = {0};
	uint64_t n = 0;

	*is_named = true;
	if (!space)
		return 0;
	*is_named = add_space_name(&path, space);
	if (!strmap_get(&mt->spaces, path.data, &n) &&
	    dwarf_has_room(mt->dwarf, ENTRY_BYTES + path.len)) {
		n = mt->spaces.len + 1;
		strmap_set(&mt->spaces, path.data, n);
	}
	strbuf_release(&path);
	return (uint32_t)n;
}

static void index_named(struct module_types *mt, const struct entry *e,
			const struct dwarf_spot *spot)
{
	bool is_named;
	struct types_named n = {.ref = e->ref,
				.name = e->name,
				.letter = types_letter(e->tag),
				.space = number_space(mt, spot->space, &is_named),
				.is_declaration = e->is_declaration};

	if (e->tag == ENTRY_BASE) {
		n.space = (uint32_t)(e->size << 3 | e->encoding);
		n.is_base = n.is_shared = true;
	} else if (e->tag == ENTRY_VARIABLE && e->origin) {
		n.space = TYPES_ORIGINS_SPACE;
	} else if (e->tag == ENTRY_VARIABLE) {
		n.is_shared = e->is_external && is_named;
	} else if (e->tag != ENTRY_TYPEDEF) {
		n.is_shared = is_named && spot->language == LANGUAGE_CXX;
	}
	add_named(mt, &n);
}

static void index_entry(void *ctx, const struct entry *seen,
			const struct dwarf_spot *spot)
{
	struct module_types *mt = ctx;
	struct entry e = *seen;

	if (e.tag == ENTRY_FUNCTION)
		index_function(mt, &e);
	if (!types_letter(e.tag))
		return;
	if (e.tag == ENTRY_VARIABLE && !e.name)
		types_inherit(mt, &e);
	if (e.name && strlen(e.name) <= INDEXED_MAX)
		index_named(mt, &e, spot);
}

int types_compare_functions(const void *a, const void *b)
{
	const struct types_function *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void types_need_index(struct module_types *mt)
{
	if (mt->is_scanned)
		return;
	mt->is_scanned = true;
	dwarf_scan(mt->dwarf, index_entry, mt);
	if (mt->functions.len)
		qsort(mt->functions.data, mt->functions.len,
		      sizeof(*mt->functions.data), types_compare_functions);
}

const char *module_types_split_why(const struct module_types *mt)
{
	return dwarf_split_why(mt->dwarf);
}

uint64_t types_function_at(const struct module_types *mt, uint64_t value)
{
	size_t found = 0;

	if (mt->functions.len)
		found = search_at_most(&mt->functions.data->address, mt->functions.len,
				       sizeof(*mt->functions.data), value);
	return found ? mt->functions.data[found - 1].ref : 0;
}
