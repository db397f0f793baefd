/* SPDX-License-Identifier: MIT */
#include "dlang/check/check.h"

#include "vm/base/host/vec.h"

struct checker *checker_new(struct dlang *d)
{
	struct checker *k = arena_alloc(&d->arena, sizeof(*k));

	types_init(&k->types, &d->arena, dlang_strsize(d));
	scope_init(&k->scope, &k->types, &d->options.version);
	return k;
}

void checker_free(struct checker *k)
{
	if (!k)
		return;
	scope_release(&k->scope);
	types_release(&k->types);
	vec_release(&k->stability);
}

void check_begin_unit(struct dlang *d)
{
	struct scope *s = scope_of(d);

	s->unit = d->nunits;
	s->agg_uses = NULL;
	s->has_constants = !d->options.nolibs;
}

void check_begin(struct dlang *d)
{
	d->checker->expanded = 0;
	types_of(d)->strsize = dlang_strsize(d);
}
