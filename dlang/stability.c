/* SPDX-License-Identifier: MIT */
#include "dlang/stability.h"

#include <ctype.h>
#include <string.h>

#include "dlang/backend.h"

static const char *const level_names[] = {
	"Internal", "Private",	"Obsolete", "External",
	"Unstable", "Evolving", "Stable",   "Standard",
};
static const char *const class_names[] = {
	"Unknown", "CPU", "Platform", "Group", "ISA", "Common",
};

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

/* What a description says of each of its fields counts; empty ones do not. */
static const struct {
	const char *provider;
	bool is_per_process; /* digits follow the name */
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

/* A description without a provider is known by its probe's name alone. */
static const char *provider_of(const struct ast_probe *p)
{
	static const struct {
		const char *name, *provider;
	} names[] = {
		{"BEGIN", "dtrace"},
		{"END", "dtrace"},
		{"ERROR", "dtrace"},
	};

	if (*p->field[0])
		return p->field[0];
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(p->field[3], names[i].name) == 0)
			return names[i].provider;
	if (strncmp(p->field[3], "tick-", 5) == 0 ||
	    strncmp(p->field[3], "profile-", 8) == 0)
		return "profile";
	return "";
}

static struct stability of_probe(const struct ast_probe *p)
{
	const char *provider = provider_of(p);
	struct stability s = best;

	if (p->id >= 1 && p->id <= 3) /* BEGIN, END, ERROR */
		return providers[0].field[3];
	for (size_t i = 0; i < ARRAY_LEN(providers); i++) {
		if (!is_provider(provider, i))
			continue;
		for (size_t f = 0; f < 4; f++)
			if (*p->field[f] || f == 0)
				s = least(s, providers[i].field[f]);
		return s;
	}
	return unknown;
}

/*
 * Every built-in, action and function that is supported is Stable; constants
 * too. Symbols and types of the traced program will lower this.
 */
struct stability_pair stability_of_clause(const struct ast_clause *c)
{
	struct stability_pair pair = {.description = best, .statement = builtin};

	for (const struct ast_probe *p = c->probes; p; p = p->next)
		pair.description = least(pair.description, of_probe(p));
	return pair;
}

static void name_triplet(struct stability s, const char **out)
{
	out[0] = level_names[s.name];
	out[1] = level_names[s.data];
	out[2] = class_names[s.class];
}

void dlang_stability(const struct dlang *d, const struct dlang_program *p,
		     struct dlang_stability *out)
{
	const struct backend *b = d->backend;
	struct stability_pair all = {.description = best, .statement = builtin};

	for (uint32_t i = 0; i < p->nclauses; i++) {
		uint32_t at = p->first_clause + i;

		if (at >= b->stability.len)
			break;
		all.description =
			least(all.description, b->stability.data[at].description);
		all.statement = least(all.statement, b->stability.data[at].statement);
	}
	name_triplet(all.description, out->description);
	name_triplet(all.statement, out->statement);
}
