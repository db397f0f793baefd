/* SPDX-License-Identifier: MIT */
/*
 * The index of types, variables and functions: names and addresses. One scan over the
 * outer entries of all units makes it when it is first needed. Everything else is read
 * from the entries on demand.
 */
#include "symbols/types.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf/debugfile.h"
#include "symbols/types/internal.h"
#include "vm/base/host/oom.h"
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
	strmap_release(&mt->names);
	vec_release(&mt->named);
	vec_release(&mt->functions);
	vec_release(&mt->inlines);
	vec_release(&mt->copies);
	vec_release(&mt->calls);
	free(mt);
}

/* ---- the index ---- */

/* Bytes of memory for one entry, without its name. */
#define ENTRY_BYTES 96
/* Longer names are not asked for. */
#define INDEXED_MAX 4096

static char letter_of(enum entry_tag tag)
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

static struct types_named *find_named(const struct module_types *mt, char letter,
				      const char *name)
{
	struct strbuf key = {0};
	uint64_t i = 0;

	strbuf_putc(&key, letter);
	strbuf_puts(&key, name);
	strmap_get(&mt->names, key.data, &i);
	strbuf_release(&key);
	return i ? &mt->named.data[i - 1] : NULL;
}

static void add_named(struct module_types *mt, char letter, const char *name,
		      const struct types_named *n)
{
	struct types_named *old = find_named(mt, letter, name);
	struct strbuf key = {0};

	if (old) {
		if (n->rank > old->rank)
			*old = *n;
		return;
	}
	if (!dwarf_has_room(mt->dwarf, ENTRY_BYTES + strlen(name)))
		return;
	*vec_push(&mt->named) = *n;
	strbuf_putc(&key, letter);
	strbuf_puts(&key, name);
	strmap_set(&mt->names, key.data, mt->named.len);
	strbuf_release(&key);
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

static void index_entry(void *ctx, const struct entry *seen, bool is_in_namespace)
{
	struct module_types *mt = ctx;
	struct entry e = *seen;
	struct types_named n = {e.ref,
				is_in_namespace ? RANK_IN_NAMESPACE : RANK_DEFINED};
	char letter = letter_of(e.tag);

	if (e.tag == ENTRY_FUNCTION)
		index_function(mt, &e);
	if (!letter)
		return;
	if (e.tag == ENTRY_VARIABLE && !e.name)
		types_inherit(mt, &e);
	if (!e.name || strlen(e.name) > INDEXED_MAX)
		return;
	if (e.is_declaration)
		n.rank = RANK_DECLARED;
	add_named(mt, letter, e.name, &n);
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

uint64_t module_types_find(struct module_types *mt, enum target_kind kind,
			   const char *name)
{
	const struct types_named *n;

	types_need_index(mt);
	n = find_named(mt,
		       kind == TARGET_STRUCT  ? 's'
		       : kind == TARGET_UNION ? 'u'
		       : kind == TARGET_ENUM  ? 'e'
					      : 't',
		       name);
	return n ? n->ref : 0;
}

uint64_t module_types_same(struct module_types *mt, uint64_t ref)
{
	struct entry e, other;
	const struct types_named *n;

	types_need_index(mt);
	if (!dwarf_entry(mt->dwarf, ref, &e) || !letter_of(e.tag))
		return ref;
	if (e.is_by_signature && dwarf_entry(mt->dwarf, e.origin, &other)) {
		ref = e.origin;
		e = other;
	}
	if (!e.name)
		return ref;
	n = find_named(mt, letter_of(e.tag), e.name);
	if (!n || !dwarf_entry(mt->dwarf, n->ref, &other))
		return ref;
	if (e.is_declaration)
		return n->ref;
	return e.size == other.size && e.line == other.line ? n->ref : ref;
}

int module_types_variable(struct module_types *mt, const char *name, uint64_t *type,
			  uint64_t *value, struct err *e)
{
	const struct types_named *n;
	struct entry var;

	types_need_index(mt);
	n = find_named(mt, 'v', name);
	if (!n && module_types_split_why(mt))
		return err_set(e, STATUS_NOENT, "%s", module_types_split_why(mt));
	if (!n || n->rank == RANK_DECLARED || !dwarf_entry(mt->dwarf, n->ref, &var))
		return err_set(e, STATUS_NOENT, "its debugging data has no '%s'", name);
	if (var.location == LOCATION_NONE)
		return err_set(e, STATUS_UNSUP, "'%s' was optimized away", name);
	if (var.location == LOCATION_THREAD)
		return err_set(e, STATUS_UNSUP, "each thread has its own '%s'", name);
	if (var.location != LOCATION_ADDRESS)
		return err_set(e, STATUS_UNSUP, "'%s' has no fixed address", name);
	types_inherit(mt, &var);
	*type = var.type;
	*value = var.address;
	return 0;
}
