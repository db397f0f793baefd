/* SPDX-License-Identifier: MIT */
/*
 * Formats of printf() and printa(): parsing, and the types of their values.
 */
#include "dlang/check/printf.h"

#include <stdio.h>
#include <string.h>

#include "dlang/check/internal.h"

enum want {
	WANT_INT,     /* an integer, of the size of the prefix */
	WANT_CHAR,    /* an integer of at most 4 bytes */
	WANT_ADDRESS, /* pointer or integer */
	WANT_STRING,
	WANT_TIME, /* 8 bytes */
	WANT_FLOAT,
	WANT_STACK,
};

static const struct {
	const char *letters;
	enum want want;
	const char *proto;
	const char *prefixes; /* each may precede the letter; l also twice */
} conversions[] = {
	{"diouxX", WANT_INT, "char, short, int, long, or long long", "hl"},
	{"c", WANT_CHAR, "char, short, or int", "wl"},
	{"C", WANT_CHAR, "char, short, or int", ""},
	{"aAp", WANT_ADDRESS, "pointer or integer", ""},
	{"s", WANT_STRING, "char [] or string (or use stringof)", "wl"},
	{"Sq", WANT_STRING, "char [] or string (or use stringof)", ""},
	{"TY", WANT_TIME, "int64_t", ""},
	{"eEfgG", WANT_FLOAT, "float, double, or long double", "lL"},
	{"k", WANT_STACK, "stack", ""},
};

static int find_conversion(char letter)
{
	for (size_t i = 0; i < ARRAY_LEN(conversions); i++)
		if (letter && strchr(conversions[i].letters, letter))
			return (int)i;
	return -1;
}

static enum want want_of(const struct printf_conv *c)
{
	return conversions[find_conversion(c->name[strlen(c->name) - 1])].want;
}

bool printf_is_text(const struct printf_conv *c)
{
	return want_of(c) == WANT_STRING;
}

bool printf_is_address(const struct printf_conv *c)
{
	return want_of(c) == WANT_ADDRESS;
}

/* ---- parsing ---- */

struct parse {
	struct dlang *d;
	const struct ast_pos *pos;
	const char *p;
	uint32_t number; /* of the conversion */
};

static int parse_error(struct parse *s, const char *text)
{
	return diag(s->d, s->pos, "D_SYNTAX", "format conversion #%u %s", s->number,
		    text);
}

/* Digits or "*". */
static int parse_number(struct parse *s, bool *is_star, const char *twice)
{
	bool has_digits = false;

	for (; *s->p == '*' || (*s->p >= '0' && *s->p <= '9'); s->p++) {
		if (*s->p != '*') {
			has_digits = true;
			continue;
		}
		if (*is_star || has_digits)
			return parse_error(s, twice);
		*is_star = true;
	}
	if (*s->p == '$')
		return parse_error(s, "uses unsupported positional format (%n$)");
	return 0;
}

static void parse_flags(struct parse *s, struct printf_conv *c)
{
	for (; *s->p && strchr("-+ #0'?@", *s->p); s->p++)
		if (*s->p == '@')
			c->has_agg = true;
}

/* Flags may also follow the width and the precision. */
static int parse_width(struct parse *s, struct printf_conv *c)
{
	int rc = parse_number(s, &c->star_width,
			      "has more than one '*' specified for the output width");

	if (rc)
		return rc;
	parse_flags(s, c);
	if (*s->p != '.')
		return 0;
	s->p++;
	rc = parse_number(s, &c->star_precision,
			  "has more than one '*' specified for the output precision");
	if (!rc)
		parse_flags(s, c);
	if (!rc && *s->p == '.')
		return parse_error(s, "has more than one '.' specified");
	return rc;
}

static bool has_prefix_of(const struct printf_conv *c, size_t nprefix)
{
	int i = find_conversion(c->name[nprefix]);

	if (i < 0)
		return false;
	if (nprefix == 2) /* ll */
		return conversions[i].want == WANT_INT &&
		       strncmp(c->name, "ll", 2) == 0;
	return nprefix == 0 || strchr(conversions[i].prefixes, c->name[0]);
}

static int parse_name(struct parse *s, struct printf_conv *c, bool is_plain)
{
	size_t n = strspn(s->p, "hlLw");

	if (s->p[n] == '\0')
		return parse_error(s, "name expected before end of format string");
	if (s->p[n] == '%' && !is_plain)
		return parse_error(s, "cannot be combined with other format flags: %%");
	snprintf(c->name, sizeof(c->name), "%.*s", (int)(n + 1), s->p);
	if (n > 2 || !has_prefix_of(c, n))
		return diag(s->d, s->pos, "D_SYNTAX",
			    "format conversion #%u is undefined: %%%.*s", s->number,
			    (int)(n + 1), s->p);
	s->p += n + 1;
	return 0;
}

/* After the "%". */
static int parse_conversion(struct parse *s, struct printf_conv *c)
{
	const char *start = s->p;
	int rc;

	parse_flags(s, c);
	rc = parse_width(s, c);
	return rc ? rc : parse_name(s, c, s->p == start);
}

struct printf_format *printf_parse(struct dlang *d, const struct ast_expr *text)
{
	struct printf_format *f = arena_alloc(&d->arena, sizeof(*f));
	struct printf_conv **tail = &f->convs;
	struct parse s = {.d = d, .pos = &text->pos, .p = text->text};

	while ((s.p = strchr(s.p, '%'))) {
		struct printf_conv *c;

		s.p++;
		if (*s.p == '%') {
			s.p++;
			continue;
		}
		c = arena_alloc(&d->arena, sizeof(*c));
		s.number = ++f->nconvs;
		if (parse_conversion(&s, c))
			return NULL;
		*tail = c;
		tail = &c->next;
	}
	return f;
}

/* ---- checking ---- */

static bool fits_size(const struct printf_conv *c, const struct type *t)
{
	if (c->name[0] == 'h')
		return type_resolve(t)->size == 2;
	return c->name[0] != 'l' || type_resolve(t)->size == 8;
}

/* l: double; L: long double; no prefix: any floating-point type. */
static bool fits_float(const struct printf_conv *c, const struct type *t)
{
	uint32_t size = type_resolve(t)->size;

	if (!type_is_float(t))
		return false;
	return c->name[0] == 'l' ? size == 8 : c->name[0] != 'L' || size == 16;
}

static bool fits(const struct printf_conv *c, enum want want, const struct type *t)
{
	switch (want) {
	case WANT_INT:
		return type_is_int(t) && fits_size(c, t);
	case WANT_CHAR:
		return type_is_int(t) && type_resolve(t)->size <= 4;
	case WANT_ADDRESS:
		return type_is_int(t) || type_is_pointer(t) ||
		       (c->name[0] != 'p' && type_resolve(t)->kind == TYPE_SYMADDR);
	case WANT_STACK:
		return type_resolve(t)->kind == TYPE_STACK;
	case WANT_STRING:
		return type_is_strcompat(t) || (c->name[1] && type_is_wide_text(t));
	case WANT_TIME:
		return type_is_int(t) && type_resolve(t)->size == 8;
	case WANT_FLOAT:
		return fits_float(c, t);
	default:
		return false;
	}
}

static const char *prototype(const struct printf_conv *c, int index)
{
	if (conversions[index].want == WANT_FLOAT && c->name[1])
		return c->name[0] == 'l' ? "double" : "long double";
	if (conversions[index].want != WANT_INT)
		return conversions[index].proto;
	if (c->name[0] == 'h')
		return "short";
	if (c->name[0] == 'l')
		return c->name[1] == 'l' ? "long long" : "long";
	return conversions[index].proto;
}

struct cursor {
	const struct printf_values *v;
	uint32_t used;	 /* number of values */
	uint32_t number; /* of the conversion */
	uint32_t naggs;	 /* conversions with @ so far */
};

/* The value that was used last; NULL if there are only types. */
static const struct ast_expr *value_of(const struct cursor *at)
{
	const struct ast_expr *e = at->v->values;

	for (uint32_t i = 1; e && i < at->used; i++)
		e = e->next;
	return e;
}

/* How messages call its type. */
static const char *type_name_of(const struct cursor *at)
{
	const struct ast_expr *e = value_of(at);

	return e ? expr_type_name(e) : at->v->types[at->used - 1]->name;
}

/* star: "*" of the width, ".*" of the precision */
static int check_star(struct dlang *d, struct cursor *at, const struct printf_conv *c,
		      const char *star)
{
	const struct printf_values *v = at->v;
	const struct type *t;

	if (at->used == v->count)
		return diag(
			d, v->pos, "D_PRINTF_DYN_PROTO",
			"%s( ) prototype mismatch: conversion #%u (%%%s) is missing a "
			"corresponding \"%s\" argument",
			v->func, at->number, c->name, star);
	t = v->types[at->used++];
	if (type_is_int(t) && type_resolve(t)->size <= 4)
		return 0;
	return diag(
		d, v->pos, "D_PRINTF_DYN_TYPE",
		"%s( ) argument #%u is incompatible with conversion #%u prototype:\n"
		"\tconversion: %% %s %s\n\t prototype: int\n\t  argument: %s",
		v->func, v->first + at->used - 1, at->number, star, c->name,
		type_name_of(at));
}

static int wrong_type(struct dlang *d, const struct cursor *at,
		      const struct printf_conv *c, const char *proto, const char *type)
{
	return diag(
		d, at->v->pos, "D_PRINTF_ARG_TYPE",
		"%s( ) argument #%u is incompatible with conversion #%u prototype:\n"
		"\tconversion: %%%s\n\t prototype: %s\n\t  argument: %s",
		at->v->func, at->v->first + at->used - 1, at->number, c->name, proto,
		type);
}

static int check_value(struct dlang *d, struct cursor *at, const struct printf_conv *c)
{
	int i = find_conversion(c->name[strlen(c->name) - 1]);
	const struct type *t;

	if (at->used == at->v->count)
		return diag(
			d, at->v->pos, "D_PRINTF_ARG_PROTO",
			"%s( ) prototype mismatch: conversion #%u (%%%s) is missing a "
			"corresponding value argument",
			at->v->func, at->number, c->name);
	t = at->v->types[at->used++];
	if (fits(c, conversions[i].want, t))
		return 0;
	if (printf_is_text(c))
		hint_text(d, value_of(at), t);
	return wrong_type(d, at, c, prototype(c, i), type_name_of(at));
}

/* The n-th %@ is of the n-th aggregation, further ones are of the last. */
static const struct ast_expr *agg_at(const struct printf_values *v, uint32_t n)
{
	const struct ast_expr *a = v->aggs;

	while (n-- && a->next)
		a = a->next;
	return a;
}

/* %@f is the share of a row in all rows: only what adds up has one. */
static int check_share(struct dlang *d, const struct cursor *at,
		       const struct printf_conv *c)
{
	const struct ident *agg = agg_at(at->v, at->naggs - 1)->ident;

	if (c->name[1])
		return diag(d, at->v->pos, "D_SYNTAX",
			    "format conversion #%u is undefined: %%@%s", at->number,
			    c->name);
	if (agg->func == AGG_count || agg->func == AGG_sum)
		return 0;
	return diag(
		d, at->v->pos, "D_PRINTF_ARG_TYPE",
		"%s( ): conversion #%u (%%@%s) is the share of a count( ) or sum( ), "
		"which @%s has not",
		at->v->func, at->number, c->name, agg->name);
}

/* The value of an aggregation is a 64-bit integer. */
static int check_agg_value(struct dlang *d, struct cursor *at,
			   const struct printf_conv *c)
{
	const struct type *t = types_of(d)->t_int64;
	int i = find_conversion(c->name[strlen(c->name) - 1]);

	if (!at->v->aggs)
		return diag(d, at->v->pos, "D_PRINTF_AGG_CONV",
			    "%%@ conversion requires an aggregation and is not for use "
			    "with %s( )",
			    at->v->func);
	at->naggs++;
	if (conversions[i].want == WANT_FLOAT)
		return check_share(d, at, c);
	return fits(c, conversions[i].want, t)
		       ? 0
		       : wrong_type(d, at, c, prototype(c, i), t->name);
}

int printf_check(struct dlang *d, const struct printf_format *f,
		 const struct printf_values *v)
{
	struct cursor at = {.v = v};
	int rc = 0;

	for (const struct printf_conv *c = f->convs; c && !rc; c = c->next) {
		at.number++;
		if (c->star_width)
			rc = check_star(d, &at, c, "*");
		if (!rc && c->star_precision)
			rc = check_star(d, &at, c, ".*");
		if (!rc)
			rc = c->has_agg ? check_agg_value(d, &at, c)
					: check_value(d, &at, c);
	}
	if (!rc && !v->aggs && at.used < v->count)
		return diag(
			d, v->pos, "D_PRINTF_ARG_EXTRA",
			"%s( ) prototype mismatch: only %u arguments required by this "
			"format string",
			v->func, at.used);
	return rc;
}
