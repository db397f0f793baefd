/* SPDX-License-Identifier: MIT */
/*
 * Which calls of a function debug data describes. They are among the entries of all code,
 * which are walked once.
 */
#include "symbols/types.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/types/internal.h"
#include "vm/base/host/vec.h"

static void add_call(void *ctx, uint64_t call, uint64_t called)
{
	struct module_types *mt = ctx;

	if (dwarf_has_room(mt->dwarf, 2 * sizeof(struct types_call)))
		*vec_push(&mt->calls) = (struct types_call){call, called};
}

/* By called function, then in the order of the file. */
static int compare_calls(const void *a, const void *b)
{
	const struct types_call *x = a, *y = b;

	if (x->called != y->called)
		return x->called < y->called ? -1 : 1;
	return (x->ref > y->ref) - (x->ref < y->ref);
}

static void need_calls(struct module_types *mt)
{
	if (mt->has_calls)
		return;
	mt->has_calls = true;
	dwarf_calls(mt->dwarf, add_call, mt);
	if (mt->calls.len)
		qsort(mt->calls.data, mt->calls.len, sizeof(*mt->calls.data),
		      compare_calls);
}

/* Whether a call of one entry calls the function: another unit only declares it. */
static bool is_function(struct module_types *mt, uint64_t called, uint64_t function,
			const struct entry *f)
{
	struct entry e;

	if (called == function || called == f->origin)
		return true;
	if (!dwarf_entry(mt->dwarf, called, &e) || !e.is_declaration)
		return false;
	types_inherit(mt, &e);
	if (f->link_name && e.link_name)
		return strcmp(e.link_name, f->link_name) == 0;
	return !f->link_name && !e.link_name && e.name && f->name &&
	       strcmp(e.name, f->name) == 0;
}

size_t types_calls(struct module_types *mt, uint64_t function, uint64_t *out,
		   size_t max)
{
	uint64_t last = 0;
	bool is_called = false;
	struct entry f;
	size_t n = 0;

	if (!dwarf_entry(mt->dwarf, function, &f))
		return 0;
	types_inherit(mt, &f);
	need_calls(mt);
	for (size_t i = 0; i < mt->calls.len && n < max; i++) {
		const struct types_call *c = &mt->calls.data[i];

		if (c->called != last)
			is_called = is_function(mt, c->called, function, &f);
		last = c->called;
		if (is_called)
			out[n++] = c->ref;
	}
	return n;
}
