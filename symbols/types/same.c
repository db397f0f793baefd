/* SPDX-License-Identifier: MIT */
/*
 * Whether two entries describe one type. Each unit describes the types of its headers
 * again. In C++ a qualified name that all units see is one type. Elsewhere two files may
 * use one name for different things, also behind a pointer, so all parts are compared: a
 * pair is the same if it looks the same and all pairs that it leads to are.
 */
#include "symbols/types.h"

#include <string.h>

#include "symbols/types/internal.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#define ENTRIES_MAX 200000  /* that one question may compare */
#define ALL_MAX	    5000000 /* that all questions may */

struct comparison {
	struct module_types *mt;
	struct {
		struct pair {
			uint64_t a, b;
		} * data;
		size_t len, cap;
	} pairs;	 /* that must be the same */
	struct map seen; /* a of a pair -> b */
	size_t left;	 /* entries that may still be read */
};

static uint64_t first_of(const struct module_types *mt, uint64_t ref)
{
	uint64_t first;

	while (map_get(&mt->same, ref, &first))
		ref = first;
	return ref;
}

static void unite(struct module_types *mt, uint64_t a, uint64_t b)
{
	a = first_of(mt, a);
	b = first_of(mt, b);
	if (a != b)
		map_set(&mt->same, b, a);
}

/* False: they cannot be the same, as a is taken for another type than b. */
static bool add_pair(struct comparison *c, uint64_t a, uint64_t b)
{
	uint64_t known;

	a = first_of(c->mt, a);
	b = first_of(c->mt, b);
	if (a == b)
		return true;
	if (!a || !b)
		return false;
	if (map_get(&c->seen, a, &known))
		return known == b;
	map_set(&c->seen, a, b);
	*vec_push(&c->pairs) = (struct pair){a, b};
	return true;
}

static bool is_name_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool has_parts(const struct entry *e)
{
	return e->tag == ENTRY_STRUCT || e->tag == ENTRY_UNION ||
	       e->tag == ENTRY_ENUM || e->tag == ENTRY_ARRAY;
}

struct parts {
	struct comparison *c;
	struct {
		struct entry *data;
		size_t len, cap;
	} list;
};

static bool add_part(void *ctx, const struct entry *e)
{
	struct parts *p = ctx;

	if (e->tag == ENTRY_MEMBER || e->tag == ENTRY_BASECLASS ||
	    e->tag == ENTRY_ENUMERATOR || e->tag == ENTRY_SUBRANGE)
		*vec_push(&p->list) = *e;
	return p->c->left && p->c->left--;
}

static bool is_part_same(struct comparison *c, const struct entry *a,
			 const struct entry *b)
{
	return a->tag == b->tag && is_name_same(a->name, b->name) &&
	       a->offset == b->offset && a->nbits == b->nbits && a->bit == b->bit &&
	       a->high_bit == b->high_bit && a->value == b->value &&
	       a->count == b->count && a->is_declaration == b->is_declaration &&
	       (a->tag == ENTRY_SUBRANGE || add_pair(c, a->type, b->type));
}

static bool are_parts_same(struct comparison *c, uint64_t a, uint64_t b)
{
	struct parts x = {.c = c}, y = {.c = c};
	bool is_same;

	dwarf_children(c->mt->dwarf, a, add_part, &x);
	dwarf_children(c->mt->dwarf, b, add_part, &y);
	is_same = c->left && x.list.len == y.list.len;
	for (size_t i = 0; is_same && i < x.list.len; i++)
		is_same = is_part_same(c, &x.list.data[i], &y.list.data[i]);
	vec_release(&x.list);
	vec_release(&y.list);
	return is_same;
}

/* What a declaration leaves open the definition of that name may say. */
static bool is_pair_same(struct comparison *c, const struct pair *p)
{
	struct entry a, b;

	if (!c->left || !dwarf_entry(c->mt->dwarf, p->a, &a) ||
	    !dwarf_entry(c->mt->dwarf, p->b, &b))
		return false;
	c->left--;
	if (a.tag != b.tag || !is_name_same(a.name, b.name))
		return false;
	if (a.is_declaration || b.is_declaration)
		return a.name != NULL;
	if (a.size != b.size || a.encoding != b.encoding || a.is_vector != b.is_vector)
		return false;
	if (a.tag == ENTRY_SUBROUTINE || a.tag == ENTRY_FUNCTION)
		return true;
	if (a.tag != ENTRY_STRUCT && a.tag != ENTRY_UNION && a.tag != ENTRY_BASE &&
	    !add_pair(c, a.type, b.type))
		return false;
	return !has_parts(&a) || are_parts_same(c, p->a, p->b);
}

static bool compare(struct module_types *mt, uint64_t a, uint64_t b)
{
	struct comparison c = {.mt = mt, .left = ENTRIES_MAX};
	bool is_same = mt->compared < ALL_MAX && add_pair(&c, a, b);

	for (size_t i = 0; is_same && i < c.pairs.len; i++) {
		struct pair p = c.pairs.data[i];

		is_same = is_pair_same(&c, &p);
	}
	mt->compared += ENTRIES_MAX - c.left;
	for (size_t i = 0; is_same && i < c.pairs.len; i++)
		unite(mt, c.pairs.data[i].a, c.pairs.data[i].b);
	vec_release(&c.pairs);
	map_release(&c.seen);
	return is_same;
}

/* One qualified name that all units of C++ see, and not another size. */
static bool is_one_definition(struct module_types *mt, const struct entry *a,
			      const struct entry *b)
{
	struct dwarf_unit x, y;
	struct strbuf of_a = {0}, of_b = {0};
	bool is_one;

	if (a->tag == ENTRY_TYPEDEF || a->tag == ENTRY_BASE || !a->name ||
	    a->tag != b->tag || a->size != b->size ||
	    !dwarf_unit_of(mt->dwarf, a->ref, &x) ||
	    !dwarf_unit_of(mt->dwarf, b->ref, &y) || x.language != LANGUAGE_CXX ||
	    y.language != LANGUAGE_CXX || !is_name_same(a->name, b->name))
		return false;
	is_one = module_types_path(mt, a->ref, &of_a) &&
		 module_types_path(mt, b->ref, &of_b) &&
		 strcmp(of_a.data, of_b.data) == 0;
	strbuf_release(&of_a);
	strbuf_release(&of_b);
	return is_one;
}

bool module_types_is_same(struct module_types *mt, uint64_t a, uint64_t b)
{
	struct entry x, y;

	a = first_of(mt, module_types_definition(mt, a));
	b = first_of(mt, module_types_definition(mt, b));
	if (a == b)
		return true;
	if (!dwarf_entry(mt->dwarf, a, &x) || !dwarf_entry(mt->dwarf, b, &y) ||
	    x.tag != y.tag || !is_name_same(x.name, y.name))
		return false;
	if (is_one_definition(mt, &x, &y)) {
		unite(mt, a, b);
		return true;
	}
	return compare(mt, a, b);
}
