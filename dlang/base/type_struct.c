/* SPDX-License-Identifier: MIT */
/*
 * Structs, unions and enums: members, the layout of the C ABI (System V AMD64,
 * 3.1.2), and completion of types that come from the target.
 */
#include "dlang/type.h"

#include <string.h>

#include "dlang/typesrc.h"

struct type *type_tagged(struct types *ts, enum type_kind kind, const char *name,
			 bool is_named)
{
	struct type *t = arena_alloc(ts->arena, sizeof(*t));

	t->kind = kind;
	t->name = arena_strdup(ts->arena, name);
	t->order = ts->next_order++;
	t->is_signed = kind == TYPE_ENUM;
	t->size = kind == TYPE_ENUM ? 4 : 0;
	t->base = kind == TYPE_ENUM ? ts->t_int : NULL;
	if (is_named)
		strmap_set(&ts->names, name, (uint64_t)(uintptr_t)t);
	return t;
}

static void append_copy(struct types *ts, const struct type_member *m,
			struct type_member **first, struct type_member **last)
{
	struct type_member *copy = arena_alloc(ts->arena, sizeof(*copy));

	*copy = *m;
	copy->name = arena_strdup(ts->arena, m->name);
	copy->next = NULL;
	if (*last)
		(*last)->next = copy;
	else
		*first = copy;
	*last = copy;
}

void type_add_member(struct types *ts, struct type *t, const struct type_member *m)
{
	append_copy(ts, m, &t->members, &t->last_member);
}

void type_add_variant(struct types *ts, struct type *t, const struct type_member *m)
{
	append_copy(ts, m, &t->variants->first, &t->variants->last);
}

bool type_is_struct_or_union(const struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_STRUCT || k == TYPE_UNION;
}

bool type_is_enum(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_ENUM;
}

bool type_complete(struct types *ts, const struct type *t)
{
	/* Only the struct types that owns a type may change it. */
	struct type *own = (struct type *)(uintptr_t)type_resolve(t);

	if (!own->is_complete && own->source && !own->is_asked)
		own->is_complete = own->source->complete(own->source->ctx, ts, own);
	return own->is_complete;
}

bool type_member(struct types *ts, const struct type *t, const char *name,
		 struct type_member *out)
{
	if (!type_is_struct_or_union(t) || !type_complete(ts, t))
		return false;
	for (const struct type_member *m = type_resolve(t)->members; m; m = m->next) {
		if (m->name[0] ? strcmp(m->name, name) == 0 : false) {
			*out = *m;
			return true;
		}
		if (!m->name[0] && type_is_struct_or_union(m->type) &&
		    type_member(ts, m->type, name, out)) {
			out->offset += m->offset;
			return true;
		}
	}
	return false;
}

static uint32_t alignment(const struct type *t);

/* Debug data may be wrong: a struct that is its own member has been met already. */
static uint32_t struct_alignment(struct type *t)
{
	uint32_t most = 1;

	if (t->align)
		return t->align;
	t->align = 1;
	for (const struct type_member *m = t->members; m; m = m->next) {
		uint32_t a = alignment(m->type);

		most = a > most ? a : most;
	}
	t->align = t->is_complete ? most : 0;
	return most;
}

static uint32_t alignment(const struct type *t)
{
	for (t = type_resolve(t); t->kind == TYPE_ARRAY; t = type_resolve(t->base))
		;
	/* Only the struct types that owns a type may change it. */
	if (type_is_struct_or_union(t))
		return struct_alignment((struct type *)(uintptr_t)t);
	return t->kind == TYPE_STRING ? 1 : t->size ? t->size : 1;
}

/* A bit-field begins at the next free bit and does not cross a unit of its type. */
static uint64_t place_bits(struct type_member *m, uint64_t bit, uint64_t unit_bits)
{
	if (bit / unit_bits != (bit + m->nbits - 1) / unit_bits)
		bit = align_up(bit, unit_bits);
	m->offset = bit / unit_bits * (unit_bits / 8);
	m->bit = (uint8_t)(bit % unit_bits);
	return bit + m->nbits;
}

void type_lay_out(struct types *ts, struct type *t)
{
	uint64_t bit = 0,
		 end = 0; /* the next free bit; the end of the longest member */

	for (struct type_member *m = t->members; m; m = m->next) {
		uint64_t size = type_size(ts, m->type);

		if (t->kind == TYPE_UNION)
			bit = 0;
		if (m->nbits) {
			bit = place_bits(m, bit, size * 8);
		} else {
			m->offset = align_up((bit + 7) / 8, alignment(m->type));
			bit = (m->offset + size) * 8;
		}
		end = bit > end ? bit : end;
	}
	t->is_complete = true;
	t->size = (uint32_t)align_up((end + 7) / 8, alignment(t));
}
