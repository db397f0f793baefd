/* SPDX-License-Identifier: MIT */
/*
 * Types of stacks and symbols. Programs can only record such values; the consumer prints
 * them. Two equal types are the same object.
 */
#include "dlang/type.h"

#include <string.h>

#include "vm/program.h"

/* They are in the table of names under keys that no D name can equal. */
static const struct type *find_or_add(struct types *ts, const struct type *like)
{
	const char *key = arena_printf(ts->arena, "%s %u %u", like->name, like->show,
				       like->count);
	struct type *t;
	uint64_t found;

	if (strmap_get(&ts->names, key, &found))
		return (const struct type *)(uintptr_t)found;
	t = arena_alloc(ts->arena, sizeof(*t));
	*t = *like;
	t->order = ts->next_order++;
	strmap_set(&ts->names, key, (uint64_t)(uintptr_t)t);
	return t;
}

const struct type *type_stack(struct types *ts, uint8_t show, uint32_t frames)
{
	const struct type like = {.kind = TYPE_STACK,
				  .name = "stack",
				  .show = show,
				  .count = frames,
				  .size = (frames + 1) * 8};

	return find_or_add(ts, &like);
}

const struct type *type_symaddr(struct types *ts, uint8_t show)
{
	bool is_kernel = show == SHOW_SYM || show == SHOW_MOD;
	const struct type like = {.kind = TYPE_SYMADDR,
				  .name = is_kernel ? "_symaddr" : "_usymaddr",
				  .show = show,
				  .size = 16};

	return find_or_add(ts, &like);
}

bool type_is_like_location(const struct type *a, const struct type *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	return type_is_location(a) && a->kind == b->kind &&
	       strcmp(a->name, b->name) == 0;
}

bool type_is_location(const struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_STACK || k == TYPE_SYMADDR;
}
