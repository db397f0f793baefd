/* SPDX-License-Identifier: MIT */
/* Parameters and local variables, and where they are at an address. */
#include "symbols/types.h"

#include <string.h>

#include "symbols/types/frames.h"
#include "symbols/types/internal.h"

/* ---- scopes ---- */

struct scopes {
	struct module_types *mt;
	const struct target_spot *spot;
	struct dwarf_frame frame;
	uint64_t refs[DWARF_SCOPES_MAX + 1]; /* innermost first */
	size_t n, first;
};

static bool find_caller(void *ctx, uint64_t pc, struct dwarf_frame *out)
{
	const struct scopes *s = ctx;

	*out = (struct dwarf_frame){.function = types_function_at(s->mt, pc), .pc = pc};
	frames_find_caller(s->spot, pc, out);
	return out->function != 0;
}

static size_t find_calls(void *ctx, uint64_t *out, size_t max)
{
	const struct scopes *s = ctx;

	return types_calls(s->mt, s->frame.function, out, max);
}

static bool is_named(const struct entry *e, const char *name)
{
	return (e->name && strcmp(e->name, name) == 0) ||
	       (e->link_name && strcmp(e->link_name, name) == 0);
}

/* How near before the line the function begins; 0: after it, or in another file. */
static uint64_t beginning_of(const struct scopes *s, const struct entry *e)
{
	uint64_t line, ref = e->tag == ENTRY_INLINED ? e->origin : e->ref;
	const char *file;

	if (!dwarf_declared(s->mt->dwarf, ref, &file, &line) || line > s->spot->line ||
	    (s->spot->file && !types_is_path_end(file, s->spot->file)))
		return 0;
	return line;
}

/*
 * Several functions may begin at the spot, in one another: an inlined one by its name, or
 * the one whose source begins last before the line.
 */
static void choose_first(struct scopes *s)
{
	uint64_t best = 0;
	size_t outside = 0; /* the first scope outside of the copies seen so far */

	for (size_t i = 0; i < s->n; i++) {
		uint64_t begins = 0;
		struct entry e;

		if (!dwarf_entry(s->mt->dwarf, s->refs[i], &e) ||
		    (e.tag != ENTRY_INLINED && e.tag != ENTRY_FUNCTION))
			continue;
		if (s->spot->line)
			begins = beginning_of(s, &e);
		types_inherit(s->mt, &e);
		if (s->spot->inlined && is_named(&e, s->spot->inlined))
			begins = UINT64_MAX;
		if (begins > best) {
			best = begins;
			s->first = outside;
		}
		outside = i + 1;
	}
}

static bool find_scopes(struct scopes *s, struct module_types *mt,
			const struct target_spot *spot)
{
	uint64_t function;

	*s = (struct scopes){.mt = mt, .spot = spot};
	types_need_index(mt);
	function = types_function_at(mt, spot->value);
	if (!function)
		return false;
	s->n = dwarf_scopes(mt->dwarf, function, spot->value,
			    spot->line || spot->inlined, s->refs);
	s->frame = (struct dwarf_frame){.function = function,
					.pc = spot->value,
					.caller = find_caller,
					.calls = find_calls,
					.ctx = s};
	frames_find(spot, &s->frame);
	s->frame.is_entry = spot->is_entry;
	choose_first(s);
	return s->n > 0;
}

/* ---- variables ---- */

/* At the first instruction a parameter is not where the function will put it. */
static bool is_at_entry(const struct scopes *s, const struct entry *e, size_t scope,
			struct where *out)
{
	return e->tag == ENTRY_PARAMETER && scope + 1 == s->n && s->frame.is_entry &&
	       types_passed(s->mt, s->spot, e->ref, out);
}

static void find_where(const struct scopes *s, const struct entry *e, size_t scope,
		       struct where *out)
{
	if (is_at_entry(s, e, scope, out))
		return;
	dwarf_where(s->mt->dwarf, e->ref, &s->frame, out);
	if (e->tag == ENTRY_PARAMETER && scope + 1 == s->n && !where_is_gone(out) &&
	    types_is_unstored(s->mt, s->spot, s->frame.function, e->ref, out))
		*out = (struct where){.pieces = {{.kind = WHERE_GONE}},
				      .npieces = 1,
				      .why = "its function has not stored it yet"};
}

struct visit {
	const struct scopes *scopes;
	size_t scope;
	const char *name; /* NULL: all */
	void (*visit)(void *ctx, const struct target_local *l);
	void *ctx;
	bool is_abstract; /* the variables of the function as it was written */
};

static bool visit_variable(void *ctx, const struct entry *seen)
{
	const struct visit *v = ctx;
	struct target_local l;
	struct entry e = *seen;

	if ((e.tag != ENTRY_PARAMETER && e.tag != ENTRY_VARIABLE) || e.is_declaration)
		return true;
	types_inherit(v->scopes->mt, &e);
	if (!e.name || (v->name && strcmp(e.name, v->name) != 0))
		return true;
	l = (struct target_local){.name = e.name, .type = e.type};
	find_where(v->scopes, &e, v->scope, &l.where);
	if (v->is_abstract && l.where.npieces && l.where.pieces[0].kind != WHERE_GONE &&
	    l.where.pieces[0].kind != WHERE_VALUE)
		return true;
	v->visit(v->ctx, &l);
	return true;
}

static void visit_scope(struct visit *v, size_t scope)
{
	struct module_types *mt = v->scopes->mt;
	struct entry e;

	v->scope = scope;
	v->is_abstract = false;
	dwarf_children(mt->dwarf, v->scopes->refs[scope], visit_variable, v);
	v->is_abstract = true;
	if (v->name && dwarf_entry(mt->dwarf, v->scopes->refs[scope], &e) && e.origin)
		dwarf_children(mt->dwarf, e.origin, visit_variable, v);
}

/* Of equal names in one scope, as in Rust, the last one that has a place. */
struct found {
	struct target_local *out;
	bool is_any;
};

static void keep(void *ctx, const struct target_local *l)
{
	struct found *f = ctx;

	if (!f->is_any || !where_is_gone(&l->where))
		*f->out = *l;
	f->is_any = true;
}

bool module_types_local(struct module_types *mt, const struct target_spot *spot,
			const char *name, struct target_local *out)
{
	struct found f = {.out = out};
	struct scopes s;
	struct visit v = {.scopes = &s, .name = name, .visit = keep, .ctx = &f};

	if (!find_scopes(&s, mt, spot))
		return false;
	for (size_t i = s.first; i < s.n && !f.is_any; i++)
		visit_scope(&v, i);
	return f.is_any;
}

void module_types_locals(struct module_types *mt, const struct target_spot *spot,
			 void (*visit)(void *ctx, const struct target_local *l),
			 void *ctx)
{
	struct scopes s;
	struct visit v = {.scopes = &s, .visit = visit, .ctx = ctx};

	if (!find_scopes(&s, mt, spot))
		return;
	for (size_t i = s.first; i < s.n; i++)
		visit_scope(&v, i);
}
