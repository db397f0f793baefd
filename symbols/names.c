/* SPDX-License-Identifier: MIT */
/* Functions by name: the name in the file, or the demangled one. */
#include <string.h>

#include "symbols/elf/demangle.h"
#include "symbols/internal.h"
#include "symbols/symbols.h"
#include "symbols/symtab.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"

#define TIMEOUTS_MAX 8 /* demangling attempts of a file that may time out */
/* Bytes of demangled names; those of real files are a few times as long as mangled. */
#define READABLE_LEAST	(1 << 20)
#define READABLE_FACTOR 16

bool symbol_is_skipped_by_globs(const struct symbol *s)
{
	return s->is_ifunc || s->is_fragment ||
	       (s->name[0] == '_' &&
		(strcmp(s->name, "_init") == 0 || strcmp(s->name, "_fini") == 0 ||
		 strcmp(s->name, "__restore_rt") == 0));
}

/* ---- demangled names, made on demand ---- */

static const char *make_readable(struct module_internal *in, const char *name,
				 enum demangle_form form)
{
	struct strbuf text = {0};
	const char *out = NULL;

	if (demangle(name, form, &in->timeouts_left, &text) &&
	    text.len <= in->readable_left) {
		out = arena_strndup(&in->names, text.data, text.len);
		in->readable_left -= text.len;
	}
	strbuf_release(&text);
	return out;
}

static const struct readable *readable_of(const struct module *m,
					  const struct symbol *s)
{
	struct module_internal *in =
		m->internal->lender ? m->internal->lender->internal : m->internal;
	struct readable *r;

	if (s->name[0] != '_' || (s->name[1] != 'Z' && s->name[1] != 'R'))
		return NULL;
	if (!in->readable) {
		in->readable = oom_calloc(m->nsymbols, sizeof(*in->readable));
		in->timeouts_left = TIMEOUTS_MAX;
		in->readable_left =
			READABLE_LEAST + READABLE_FACTOR * (in->full.names_size +
							    in->dynamic.names_size);
	}
	r = &in->readable[s - m->symbols];
	if (!r->is_made) {
		r->is_made = true;
		r->full = make_readable(in, s->name, DEMANGLE_FULL);
		if (r->full)
			r->bare = make_readable(in, s->name, DEMANGLE_BARE);
	}
	return r->full && r->bare ? r : NULL;
}

const char *symbol_demangled(const struct module *m, const struct symbol *s)
{
	const struct readable *r = readable_of(m, s);

	return r ? r->full : NULL;
}

const char *symbol_demangled_bare(const struct module *m, const struct symbol *s)
{
	const struct readable *r = readable_of(m, s);

	return r ? r->bare : NULL;
}

/* ---- several functions ---- */

/* A selection of functions, and the callback for each. */
struct choice {
	bool (*is_chosen)(const struct choice *c, const struct module *m,
			  const struct symbol *s);
	const char *text;
	const char *needle; /* demangle_needle() of a name */
	void (*found)(void *ctx, const struct symbol *s);
	void *ctx;
};

static bool is_matched(const struct choice *c, const struct module *m,
		       const struct symbol *s)
{
	const struct readable *r;

	if (symbol_is_skipped_by_globs(s))
		return false;
	if (!c->text[0] || glob_match(c->text, s->name))
		return true;
	r = readable_of(m, s);
	return r && (glob_match(c->text, r->bare) || glob_match(c->text, r->full));
}

static bool is_meant(const struct choice *c, const struct module *m,
		     const struct symbol *s)
{
	const struct readable *r;

	if (s->is_fragment || !strstr(s->name, c->needle))
		return false;
	r = readable_of(m, s);
	return r && (demangle_is_source_name(c->text, r->bare) ||
		     strcmp(c->text, r->full) == 0);
}

/*
 * Whether an alias of s is selected already. Symbols at one address are adjacent, but
 * may have different sizes; only those of equal size are aliases.
 */
static bool is_alias_of_taken(const struct module *m, const uint32_t *taken,
			      size_t ntaken, const struct symbol *s)
{
	for (size_t i = 0; i < ntaken; i++) {
		if (m->symbols[taken[i]].size == s->size)
			return true;
	}
	return false;
}

static size_t choose(const struct module *m, const struct choice *c)
{
	uint32_t taken[16]; /* indexes of those selected at the current address */
	size_t ntaken = 0, n = 0;

	for (size_t i = 0; i < m->nsymbols && !budget_is_over(); i++) {
		const struct symbol *s = &m->symbols[i];

		if (ntaken && m->symbols[taken[0]].value != s->value)
			ntaken = 0;
		if (is_alias_of_taken(m, taken, ntaken, s) ||
		    !module_has(m, s->value, s->size) || !c->is_chosen(c, m, s))
			continue;
		if (ntaken < ARRAY_LEN(taken))
			taken[ntaken++] = (uint32_t)i;
		c->found(c->ctx, s);
		n++;
	}
	return n;
}

size_t module_match(const struct module *m, const char *glob,
		    void (*found)(void *ctx, const struct symbol *s), void *ctx)
{
	const struct choice c = {is_matched, glob, "", found, ctx};

	return choose(m, &c);
}

size_t module_select(const struct module *m, const char *name,
		     void (*found)(void *ctx, const struct symbol *s), void *ctx)
{
	const struct choice c = {is_meant, name, demangle_needle(name), found, ctx};
	size_t count = module_count(m, name), n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct symbol *s = module_find_nth(m, name, i);

		if (!module_has(m, s->value, s->size))
			continue;
		found(ctx, s);
		n++;
	}
	return count ? n : choose(m, &c);
}

/* ---- one function, by its name in the file ---- */

size_t module_count(const struct module *m, const char *name)
{
	size_t count;

	symtab_find(m, name, &count);
	return count;
}

const struct symbol *module_find_nth(const struct module *m, const char *name, size_t i)
{
	size_t count;
	const struct name_entry *first = symtab_find(m, name, &count);

	return i < count ? &m->symbols[first[i].symbol] : NULL;
}

const struct symbol *module_find(const struct module *m, const char *name)
{
	return module_find_nth(m, name, 0);
}
