/* SPDX-License-Identifier: MIT */
/*
 * Types of libstdc++ whose content is inside of the value: pairs, tuples, variants, and
 * those that only wrap another value.
 */
#include "dlang/base/content_find.h"

#include <stdlib.h>
#include <string.h>

#define BITS_MAX 4096 /* of a bitset */

/* ---- members ---- */

static bool has_no_members(struct types *ts, const struct type *t, unsigned depth)
{
	if (!type_is_struct_or_union(t) || !type_complete(ts, t) || depth == 0)
		return false;
	for (const struct type_member *m = type_resolve(t)->members; m; m = m->next)
		if (m->name[0] || !has_no_members(ts, m->type, depth - 1))
			return false;
	return true;
}

/* Whether a struct has the named members and no other, but bases that are empty. */
static bool has_only(struct types *ts, const struct type *t, const char *const *names)
{
	size_t wanted = 0, found = 0;

	while (names[wanted])
		wanted++;
	for (const struct type_member *m = t->members; m; m = m->next) {
		size_t i = 0;

		while (i < wanted && strcmp(names[i], m->name) != 0)
			i++;
		if (i < wanted && !m->nbits)
			found++;
		else if (m->name[0] || !has_no_members(ts, m->type, CONTENT_NESTED_MAX))
			return false;
	}
	return found == wanted;
}

/* The base class whose name begins so. */
static bool find_base(struct types *ts, const struct type *t, const char *name,
		      struct type_member *out)
{
	static const char word[] = "struct ";

	if (!type_is_struct_or_union(t) || !type_complete(ts, t))
		return false;
	for (const struct type_member *m = type_resolve(t)->members; m; m = m->next) {
		const char *of = type_resolve(m->type)->name;

		if (m->name[0] || strncmp(of, word, sizeof(word) - 1) != 0 ||
		    !content_is_called(of + sizeof(word) - 1, name))
			continue;
		*out = *m;
		return true;
	}
	return false;
}

/* ---- pairs and tuples ---- */

bool content_find_pair(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const names[] = {"first", "second", NULL};

	c->kind = CONTENT_PARTS;
	c->nparts = 2;
	return has_only(ts, t, names);
}

static bool find_pair_part(struct types *ts, const struct type *t, uint32_t i,
			   struct type_member *out)
{
	return type_member(ts, t, i ? "second" : "first", out);
}

/* Each element is a base of one struct, which has another one for the elements behind. */
static bool find_tuple_part(struct types *ts, const struct type *t, uint32_t i,
			    struct type_member *out)
{
	struct type_member at, head;
	uint64_t offset = 0;

	for (uint32_t k = 0; k <= i; k++) {
		if (!find_base(ts, t, "_Tuple_impl<", &at))
			return false;
		offset += at.offset;
		t = at.type;
	}
	if (!find_base(ts, t, "_Head_base<", &head) ||
	    !type_member(ts, head.type, "_M_head_impl", out) || out->nbits)
		return false;
	out->offset += offset + head.offset;
	return true;
}

bool content_find_tuple(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member base = {.type = t}, part;
	uint32_t n = 0;

	while (n <= CONTENT_PARTS_MAX &&
	       find_base(ts, base.type, "_Tuple_impl<", &base))
		n++;
	c->kind = CONTENT_PARTS;
	c->nparts = n;
	for (uint32_t i = 0; i < n; i++)
		if (n > CONTENT_PARTS_MAX || !find_tuple_part(ts, t, i, &part) ||
		    !content_is_inside(ts, t, part.offset, type_size(ts, part.type)))
			return false;
	return n > 0;
}

/* ---- variants ---- */

/* The alternatives are the first of a union, the first of the rest of it, and so on. */
static bool find_alternative(struct types *ts, const struct type *t, uint32_t i,
			     struct type_member *out)
{
	struct type_member at, first;
	uint64_t offset;

	if (!type_member(ts, t, "_M_u", &at))
		return false;
	offset = at.offset;
	for (uint32_t k = 0; k < i; k++) {
		if (!type_member(ts, at.type, "_M_rest", &at))
			return false;
		offset += at.offset;
	}
	if (!type_member(ts, at.type, "_M_first", &first) ||
	    !type_complete(ts, first.type) || !type_resolve(first.type)->arguments[0])
		return false;
	*out = first;
	out->type = type_resolve(first.type)->arguments[0];
	out->offset += offset;
	return type_size(ts, out->type) <= type_size(ts, first.type);
}

bool content_find_variant(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_VARIANT;
	if (!type_member(ts, t, "_M_index", &m) || !type_is_int(m.type) || m.nbits)
		return false;
	c->begin = m.offset;
	c->length = type_size(ts, m.type);
	while (c->nparts <= CONTENT_PARTS_MAX &&
	       find_alternative(ts, t, c->nparts, &m)) {
		if (!content_is_inside(ts, t, m.offset, type_size(ts, m.type)))
			return false;
		c->nparts++;
	}
	return c->nparts && c->nparts <= CONTENT_PARTS_MAX &&
	       content_is_inside(ts, t, c->begin, c->length);
}

bool content_part(struct types *ts, const struct type *t, const struct content *c,
		  uint32_t i, struct type_member *out)
{
	struct type_member m;

	if (i >= c->nparts)
		return false;
	if (c->kind == CONTENT_VARIANT)
		return find_alternative(ts, t, i, out);
	if (find_base(ts, t, "_Tuple_impl<", &m))
		return find_tuple_part(ts, t, i, out);
	return find_pair_part(ts, t, i, out);
}

/* ---- bits ---- */

/* Their number is in the name alone: "bitset<16>". */
bool content_find_bitset(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_BITS;
	c->length = strtoull(strchr(t->name, '<') + 1, NULL, 10);
	if (!c->length || c->length > BITS_MAX || !type_member(ts, t, "_M_w", &m))
		return false;
	c->begin = m.offset;
	return content_is_inside(ts, t, c->begin, (c->length + 7) / 8);
}

/* ---- wrappers ---- */

/* Of chrono::duration, by its second parameter, a part of a second. */
static const char *unit_of(const char *name)
{
	static const struct {
		const char *ratio, *unit;
	} units[] = {
		{"ratio<1, 1000000000>", "ns"}, {"ratio<1, 1000000>", "us"},
		{"ratio<1, 1000>", "ms"},	{"ratio<1, 1>", "s"},
		{"ratio<60, 1>", "min"},	{"ratio<3600, 1>", "h"},
		{"ratio<86400, 1>", "d"},
	};
	char plain[128];
	size_t n = 0;

	/* clang writes 1L for 1 */
	for (; *name && n < sizeof(plain) - 1; name++)
		if (*name != 'L')
			plain[n++] = *name;
	plain[n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (strstr(plain, units[i].ratio))
			return units[i].unit;
	return NULL;
}

bool content_find_wrapper(struct types *ts, const struct type *t, struct content *c)
{
	static const struct {
		const char *type, *members[3]; /* the first is the value */
	} all[] = {
		{"array<", {"_M_elems", NULL}},
		{"stack<", {"c", NULL}},
		{"queue<", {"c", NULL}},
		{"priority_queue<", {"c", "comp", NULL}},
		{"duration<", {"__r", NULL}},
		{"time_point<", {"__d", NULL}},
		{"path", {"_M_pathname", "_M_cmpts", NULL}},
	};
	const char *name = strchr(t->name, ' ') + 1;
	struct type_member m;

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (!content_is_called(name, all[i].type))
			continue;
		if (!has_only(ts, t, all[i].members) ||
		    !type_member(ts, t, all[i].members[0], &m))
			return false;
		c->kind = CONTENT_WRAPPED;
		c->element = m.type;
		c->begin = m.offset;
		if (content_is_called(name, "duration<"))
			c->unit = unit_of(name);
		if (content_is_called(name, "duration<") && !c->unit)
			return false;
		return content_is_inside(ts, t, c->begin, type_size(ts, m.type));
	}
	return false;
}
