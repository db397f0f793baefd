/* SPDX-License-Identifier: MIT */
#include "dlang/backend.h"

#include "vm/base/host/vec.h"

#define STRSIZE_DEFAULT 256

uint32_t backend_strsize(const struct dlang *d)
{
	return d->options.strsize ? d->options.strsize : STRSIZE_DEFAULT;
}

struct backend *backend_new(struct dlang *d)
{
	struct backend *b = arena_alloc(&d->arena, sizeof(*b));

	types_init(&b->types, &d->arena, backend_strsize(d));
	scope_init(&b->scope, &b->types, &d->options.version);
	image_init(&b->image);
	return b;
}

void backend_free(struct backend *b)
{
	if (!b)
		return;
	image_release(&b->image);
	scope_release(&b->scope);
	types_release(&b->types);
	vec_release(&b->stability);
}

struct types *dlang_types(struct dlang *d)
{
	return types_of(d);
}

void type_print(const struct type *t, struct strbuf *out)
{
	strbuf_puts(out, t ? t->name : "?");
}
