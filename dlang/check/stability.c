/* SPDX-License-Identifier: MIT */
/*
 * The stability of a clause: of its description and of what its statements use.
 */
#include "dlang/check/internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vm/base/host/vec.h"

#define STABLE                                                                         \
	{                                                                              \
		LEVEL_STABLE, LEVEL_STABLE, CLASS_COMMON                               \
	}
#define EVOLVING                                                                       \
	{                                                                              \
		LEVEL_EVOLVING, LEVEL_EVOLVING, CLASS_COMMON                           \
	}
#define USER                                                                           \
	{                                                                              \
		LEVEL_EVOLVING, LEVEL_EVOLVING, CLASS_ISA                              \
	}
#define PRIVATE                                                                        \
	{                                                                              \
		LEVEL_PRIVATE, LEVEL_PRIVATE, CLASS_UNKNOWN                            \
	}

/* The stability of the fields of a description; only those that are given count. */
static const struct {
	const char *provider;
	bool is_per_process; /* followed by a process number */
	struct stability field[4];
} providers[] = {
	{"dtrace", false, {STABLE, PRIVATE, PRIVATE, STABLE}},
	{"profile",
	 false,
	 {EVOLVING,
	  {LEVEL_UNSTABLE, LEVEL_UNSTABLE, CLASS_UNKNOWN},
	  PRIVATE,
	  EVOLVING}},
	{"pid", true, {USER, PRIVATE, PRIVATE, USER}},
	{"fpid", true, {USER, PRIVATE, PRIVATE, USER}},
};

static const struct stability best = {LEVEL_STANDARD, LEVEL_STANDARD, CLASS_COMMON};
static const struct stability builtin = STABLE;
static const struct stability unknown = {LEVEL_UNSTABLE, LEVEL_UNSTABLE, CLASS_COMMON};

static struct stability least(struct stability a, struct stability b)
{
	a.name = a.name < b.name ? a.name : b.name;
	a.data = a.data < b.data ? a.data : b.data;
	a.class = a.class < b.class ? a.class : b.class;
	return a;
}

/* ---- what a clause uses ---- */

void stability_begin_clause(struct dlang *d)
{
	d->checker->used = builtin;
	d->checker->hidden = 0;
}

static bool is_below(struct stability s, struct stability min)
{
	return s.name < min.name || s.data < min.data || s.class < min.class;
}

int stability_use(struct dlang *d, const struct ast_pos *pos, const char *name,
		  struct stability s)
{
	const char *amin = d->options.amin, *words[3];
	struct stability min;

	if (d->checker->hidden)
		return 0;
	d->checker->used = least(d->checker->used, s);
	if (!amin || !stability_parse(amin, strlen(amin), &min) || !is_below(s, min))
		return 0;
	stability_names(s, words);
	return diag(d, pos, "D_ATTR_MIN",
		    "attributes for %s (%s/%s/%s) are less than predefined minimum",
		    name, words[0], words[1], words[2]);
}

int stability_use_ident(struct dlang *d, const struct ast_pos *pos,
			const struct ident *id)
{
	return stability_use(d, pos, id->name, id->has_attr ? id->attr : builtin);
}

void stability_hide_begin(struct dlang *d)
{
	d->checker->hidden++;
}

void stability_hide_end(struct dlang *d)
{
	d->checker->hidden--;
}

/* ---- probes ---- */

static const char *const field_names[] = {"provider", "module", "function", "name",
					  "args"};

/* The stability of a provider that a program declares. */
struct stability_fields {
	const char *provider;
	struct stability field[ARRAY_LEN(field_names)];
	struct stability_fields *next;
};

static bool find_field(const char *name, size_t *out)
{
	for (*out = 0; *out < ARRAY_LEN(field_names); ++*out)
		if (strcasecmp(field_names[*out], name) == 0)
			return true;
	return false;
}

bool stability_is_built_in(const char *provider)
{
	for (size_t i = 0; i < ARRAY_LEN(providers); i++)
		if (strcmp(providers[i].provider, provider) == 0)
			return true;
	return false;
}

int stability_set_provider(struct dlang *d, const char *provider, const char *field,
			   struct stability s)
{
	static const struct stability initial[] = {USER, PRIVATE, PRIVATE, USER, USER};
	struct stability_fields **at = &d->checker->declared;
	size_t i;

	if (!find_field(field, &i))
		return STATUS_INVAL;
	while (*at && strcmp((*at)->provider, provider) != 0)
		at = &(*at)->next;
	if (!*at) {
		*at = arena_alloc(&d->arena, sizeof(**at));
		(*at)->provider = provider;
		memcpy((*at)->field, initial, sizeof(initial));
	}
	(*at)->field[i] = s;
	return 0;
}

static const struct stability *declared_fields(const struct dlang *d,
					       const char *provider)
{
	size_t n = strlen(provider);

	/* nameN is the provider of process N */
	while (n > 0 && isdigit((unsigned char)provider[n - 1]))
		n--;
	for (const struct stability_fields *f = d->checker->declared; f; f = f->next)
		if (strlen(f->provider) == n && memcmp(f->provider, provider, n) == 0)
			return f->field;
	return NULL;
}

static bool is_provider(const char *field, size_t i)
{
	size_t n = strlen(providers[i].provider);

	if (strncmp(field, providers[i].provider, n) != 0)
		return false;
	if (!providers[i].is_per_process)
		return field[n] == '\0';
	return isdigit((unsigned char)field[n]) &&
	       field[n + strspn(field + n, "0123456789")] == '\0';
}

static struct stability of_fields(const struct ast_probe *p,
				  const struct stability *fields)
{
	struct stability s = fields[0];

	for (size_t f = 1; f < 4; f++)
		if (*p->field[f])
			s = least(s, fields[f]);
	return s;
}

/* A provider that is not named, or by a pattern, may be any. */
static struct stability of_probe(const struct dlang *d, const struct ast_probe *p)
{
	const char *provider = p->field[0];
	const struct stability *fields = declared_fields(d, provider);

	if (p->id >= 1 && p->id <= 3) /* BEGIN, END, ERROR */
		return providers[0].field[3];
	for (size_t i = 0; i < ARRAY_LEN(providers); i++)
		if (is_provider(provider, i))
			return of_fields(p, providers[i].field);
	return fields ? of_fields(p, fields) : unknown;
}

void stability_end_clause(struct dlang *d, const struct ast_clause *c)
{
	struct checker *k = d->checker;
	struct stability_pair pair = {.description = best, .statement = k->used};

	for (const struct ast_probe *p = c->probes; p; p = p->next)
		pair.description = least(pair.description, of_probe(d, p));
	while (k->stability.len <= c->index)
		*vec_push(&k->stability) = pair;
}

void dlang_stability(const struct dlang *d, const struct dlang_program *p,
		     struct dlang_stability *out)
{
	const struct checker *k = d->checker;
	struct stability_pair all = {.description = best, .statement = builtin};

	for (uint32_t i = 0; i < p->nclauses; i++) {
		uint32_t at = p->first_clause + i;

		if (at >= k->stability.len)
			break;
		all.description =
			least(all.description, k->stability.data[at].description);
		all.statement = least(all.statement, k->stability.data[at].statement);
	}
	stability_names(all.description, out->description);
	stability_names(all.statement, out->statement);
}
