/* SPDX-License-Identifier: MIT */
/* "Did you mean": functions and objects whose names are near an unknown one. */
#include "symbols/symbols.h"

#include <string.h>

#include "symbols/internal.h"

/* f of a::b<c::d>::f; the name itself if it has no scope. */
static const char *last_component(const char *name)
{
	const char *last = name;
	int depth = 0;

	for (const char *p = name; *p; p++) {
		depth += *p == '<';
		depth -= *p == '>';
		if (depth == 0 && p[0] == ':' && p[1] == ':')
			last = p + 2;
	}
	return last;
}

/* A name without a scope may be the last part of one in C++ or Rust. */
static void offer_readable(struct near *n, const char *readable)
{
	const char *last = last_component(readable);

	near_offer(n, readable);
	if (last != readable && !strchr(n->name, ':'))
		near_offer_as(n, last, strcspn(last, "<("), readable);
}

void module_offer_near(const struct module *m, struct near *n)
{
	for (size_t i = 0; i < m->nsymbols && !n->is_late; i++) {
		const struct symbol *s = &m->symbols[i];
		const char *readable = symbol_demangled_bare(m, s);

		if (s->is_unnamed)
			continue;
		if (readable)
			offer_readable(n, readable);
		else
			near_offer(n, s->name);
	}
}

static size_t take(const struct near *n, const char **out)
{
	memcpy(out, n->found, n->n * sizeof(*out));
	return n->n;
}

size_t module_nearest(const struct module *m, const char *name, const char **out,
		      size_t max)
{
	struct near n;

	near_begin(&n, name, max);
	module_offer_near(m, &n);
	return take(&n, out);
}

size_t modules_nearest(const struct modules *ms, const char *field, const char **out,
		       size_t max)
{
	struct near n;

	near_begin(&n, field, max);
	for (size_t i = 0; i < ms->len; i++) {
		const char *name = ms->data[i]->name;

		near_offer_as(&n, name, strcspn(name, "."),
			      name); /* libc of libc.so.6 */
		near_offer(&n, name);
	}
	return take(&n, out);
}
