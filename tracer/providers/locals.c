/* SPDX-License-Identifier: MIT */
/*
 * Each site of each probe of the clause is looked up in the debug data of its object.
 * Sites that are added later are known by their keys if they are in files that had some
 * then; in others, of another program or library, reading a variable is a fault.
 */
#include "tracer/providers/locals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/core.h"
#include "tracer/base/place_keys.h"
#include "tracer/providers/arguments.h"
#include "tracer/providers/marks.h"
#include "tracer/providers/suggest.h"
#include "tracer/targets/convert.h"
#include "tracer/targets/target.h"
#include "tracer/targets/typing.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"
#include "vm/base/regs.h"

#define SITES_MAX 20000 /* of a clause that uses locals */
#define SHOWN_MAX 8	/* names in a message */

struct search {
	const struct tracer *t;
	struct types *ts;
	const char *name;
	struct err *e;
	struct {
		struct keyed_site {
			struct local_site site;
			uint32_t key; /* 0: none */
		} * data;
		size_t len, cap;
	} sites; /* by key */
	struct {
		struct typesrc_place *data;
		size_t len, cap;
	} places;
	const struct type *type;
	const char *why;  /* it is gone at a site */
	char unread[300]; /* why, if there is no debug data */
};

static int fail(const struct search *s, const char *tag, const char *why)
{
	return err_tag(s->e, tag, "failed to resolve locals.%s: %s", s->name, why);
}

/* ---- sites ---- */

static struct module *module_of(const struct local_site *site)
{
	return site->target->modules
		       ? modules_at(site->target->modules, taddr_of(site->addr))
		       : NULL;
}

static void add_site(struct search *s, const struct local_site *site)
{
	const struct module *m = module_of(site);
	struct keyed_site *k = vec_push(&s->sites);

	*k = (struct keyed_site){.site = *site};
	if (m && place_keys_add(s->t->place_keys, m))
		k->key = place_keys_of(s->t->place_keys, m, taddr_of(site->addr));
}

static void add_sites(struct search *s, const struct target *target,
		      const struct probe *p)
{
	for (size_t i = 0; i < target->placed.len && s->sites.len <= SITES_MAX; i++)
		if (target->placed.data[i].addr &&
		    target->placed.data[i].probe == p->id)
			add_site(s, &(struct local_site){target->placed.data[i].addr,
							 target, p});
}

static int add_probe(struct search *s, const struct probe *p)
{
	const char *function = probes_name(&s->t->probes, p, PROBE_FUNCTION);

	if (!p->provider || !p->provider->process || !*function ||
	    p->provider->arguments)
		return fail(s, "D_LOCALS_NONE",
			    "only clauses of pid and fpid probes have local variables");
	for (size_t i = 0; i < s->t->targets.len; i++)
		add_sites(s, s->t->targets.data[i], p);
	if (s->sites.len > SITES_MAX)
		return fail(s, "D_LOCALS_MULTI",
			    "the probes have too many sites: narrow the description");
	return 0;
}

static int compare_sites(const void *a, const void *b)
{
	const struct keyed_site *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int find_sites(struct search *s)
{
	const struct trace_spec *spec;
	size_t at = 0;

	while ((spec = arguments_next_spec(s->t, &at)))
		for (size_t i = 0; i < spec->ids.len; i++) {
			const struct probe *p =
				probes_get(&s->t->probes, spec->ids.data[i]);
			int rc = add_probe(s, p);

			if (rc)
				return rc;
		}
	if (!s->sites.len)
		return fail(s, "D_LOCALS_NONE", "no site of the probe is known yet");
	qsort(s->sites.data, s->sites.len, sizeof(*s->sites.data), compare_sites);
	return 0;
}

/* ---- one site ---- */

struct spot {
	struct module *module;
	struct convert_object *object;
	struct target_spot at;
};

static bool find_spot(const struct tracer *t, struct arena *arena,
		      const struct local_site *site, struct spot *out)
{
	const char *name = probes_name(&t->probes, site->probe, PROBE_NAME);
	const struct symbol *sym;
	struct module *m = module_of(site);

	*out = (struct spot){.module = NULL};
	if (!m || m->is_vdso)
		return false;
	out->module = m;
	out->object = typing_object(t->typing, m);
	sym = module_at(m, taddr_of(site->addr));
	convert_spot(out->object, m, sym, site->addr - m->bias, &out->at);
	out->at.is_edge = !strcmp(name, "entry") || !strcmp(name, "return");
	if (marks_is_line(name)) {
		out->at.line = strtoull(strrchr(name, '@') + 1, NULL, 10);
		out->at.file = arena_printf(arena, "%.*s",
					    (int)(strrchr(name, '@') - name), name);
	}
	if (marks_is_inlined(name))
		out->at.inlined = probes_name(&t->probes, site->probe, PROBE_FUNCTION);
	return out->object->types != NULL;
}

/* Sites with the same place in a row share it. */
static int add_place(struct search *s, uint32_t key, const struct where *w,
		     bool is_next)
{
	struct typesrc_place *last =
		s->places.len ? &s->places.data[s->places.len - 1] : NULL;
	struct where *copy;

	if (last && is_next && where_is_same(last->where, w)) {
		last->last = key;
		return 0;
	}
	if (last && last->last == key)
		return fail(s, "D_LOCALS_MULTI",
			    "it differs between probes at one address: narrow the "
			    "probe description");
	copy = arena_alloc(s->ts->arena, sizeof(*copy));
	*copy = *w;
	*vec_push(&s->places) = (struct typesrc_place){key, key, copy};
	return 0;
}

static int add_type(struct search *s, const struct spot *spot, uint64_t ref)
{
	const struct type *type = convert_type(spot->object, s->ts, ref);

	if (s->type && !type_is_same(s->type, type))
		return fail(s, "D_LOCALS_MULTI",
			    "its type is not the same at all places: narrow the probe "
			    "description");
	s->type = type;
	return 0;
}

/* Makes them what typesrc_place promises. */
static void shift_addresses(struct search *s, const struct module *m, struct where *w)
{
	uint64_t shift;

	place_keys_shift(s->t->place_keys, m, &shift);
	for (uint32_t i = 0; i < w->nnodes; i++)
		if (w->nodes[i].op == WHERE_ADDRESS)
			w->nodes[i].n += shift;
}

/* *is_next: the site before has a place. */
static int find_place(struct search *s, const struct keyed_site *site, bool *is_next)
{
	struct target_local local;
	struct spot spot;
	int rc;

	if (!site->key) {
		*is_next = false;
		s->why = "the file of its function cannot be told from others";
		return 0;
	}
	if (!find_spot(s->t, s->ts->arena, &site->site, &spot)) {
		*is_next = false;
		if (spot.object && !s->why) {
			snprintf(s->unread, sizeof(s->unread), "of '%.60s': %.200s",
				 spot.module->name, spot.object->why.text);
			s->why = s->unread;
		}
		return 0;
	}
	if (!module_types_local(spot.object->types, &spot.at, s->name, &local)) {
		*is_next = false;
		return 0;
	}
	rc = add_type(s, &spot, local.type);
	if (rc)
		return rc;
	if (where_is_gone(&local.where)) {
		*is_next = false;
		s->why = local.where.why;
		return 0;
	}
	shift_addresses(s, spot.module, &local.where);
	rc = add_place(s, site->key, &local.where, *is_next);
	*is_next = true;
	return rc;
}

/* ---- messages ---- */

struct names {
	struct strbuf text;
	size_t n;
};

static void add_name(void *ctx, const struct target_local *l)
{
	struct names *n = ctx;
	char shown[NAME_SHOWN];

	if (n->n < SHOWN_MAX)
		strbuf_printf(&n->text, "%s%s", n->n ? ", " : "",
			      suggest_visible(l->name, shown));
	n->n++;
}

static int unknown(struct search *s)
{
	struct names names = {.n = 0};
	const char *why = NULL;
	struct spot spot;
	int rc;

	if (s->why)
		return fail(s, "D_LOCALS_NONE", s->why);
	if (find_spot(s->t, s->ts->arena, &s->sites.data[0].site, &spot)) {
		module_types_locals(spot.object->types, &spot.at, add_name, &names);
		why = module_types_split_why(spot.object->types);
	}
	if (names.n)
		rc = err_tag(s->e, "D_LOCALS_NONE",
			     "failed to resolve locals.%s: Unknown variable name\n"
			     "\tthe variables there are: %s%s",
			     s->name, names.text.data,
			     names.n > SHOWN_MAX ? " and others" : "");
	else
		rc = fail(s, "D_LOCALS_NONE",
			  why ? why : "the debugging data has no variables there");
	strbuf_release(&names.text);
	return rc;
}

/* ---- the answer ---- */

static int collect(struct search *s, struct typesrc_local *out)
{
	bool is_next = false;
	size_t n;

	for (size_t i = 0; i < s->sites.len; i++) {
		int rc = find_place(s, &s->sites.data[i], &is_next);

		if (rc)
			return rc;
	}
	if (!s->type)
		return unknown(s);
	n = s->places.len;
	if (!n)
		return fail(s, "D_LOCALS_GONE", s->why ? s->why : "it has no place");
	*out = (struct typesrc_local){.type = s->type,
				      .pc = REGS_UREG_PC,
				      .place = REGS_UREG_PLACE,
				      .nplaces = n};
	out->places = memcpy(arena_alloc(s->ts->arena, n * sizeof(*out->places)),
			     s->places.data, n * sizeof(*out->places));
	return 0;
}

int locals_get(const struct tracer *t, struct types *ts, const char *name,
	       struct typesrc_local *out, struct err *e)
{
	struct search s = {.t = t, .ts = ts, .name = name, .e = e};
	int rc = find_sites(&s);

	if (!rc)
		rc = collect(&s, out);
	vec_release(&s.sites);
	vec_release(&s.places);
	return rc;
}

/* ---- listings ---- */

#define LISTED_MAX 64 /* names at one site */

struct listing {
	struct strbuf *out;
	bool wants_gone;
	size_t n;
};

static void list_name(void *ctx, const struct target_local *l)
{
	struct listing *list = ctx;
	char shown[NAME_SHOWN];

	if (where_is_gone(&l->where) != list->wants_gone || list->n++ >= LISTED_MAX)
		return;
	strbuf_puts(list->out, list->n > 1	  ? ", "
			       : list->wants_gone ? "; without a value: "
						  : "");
	strbuf_puts(list->out, suggest_visible(l->name, shown));
}

void locals_list(const struct tracer *t, const struct local_site *site,
		 struct strbuf *out)
{
	struct listing here = {.out = out}, gone = {.out = out, .wants_gone = true};
	struct arena arena = {0};
	struct spot spot;

	if (find_spot(t, &arena, site, &spot)) {
		module_types_locals(spot.object->types, &spot.at, list_name, &here);
		if (!here.n)
			strbuf_puts(out, "none");
		module_types_locals(spot.object->types, &spot.at, list_name, &gone);
	}
	arena_release(&arena);
}
