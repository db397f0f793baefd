/* SPDX-License-Identifier: MIT */
/*
 * Probe descriptions: up to four fields, the last of which is the name (or by -f, -m, -P
 * the function, module, provider), with macros; or the number of a probe.
 */
#include "dlang/parse/internal.h"

#include <string.h>

static const size_t field_max[4] = {63, 63, 127, 63};

static struct ast_probe *bad(struct parser *p, struct ast_probe *probe)
{
	p->has_errors = true;
	probe->is_bad = true;
	return probe;
}

static struct ast_probe *invalid(struct parser *p, struct ast_probe *probe,
				 const struct tok *t, const char *reason)
{
	lex_error(&p->lex, &t->pos, "D_PDESC_INVAL",
		  "invalid probe description \"%s\": %s", t->text, reason);
	return bad(p, probe);
}

/* A description that begins with a digit must be a number. */
static struct ast_probe *identifier(struct parser *p, struct ast_probe *probe,
				    const struct tok *t)
{
	static const char *const specified[] = {"", "functions", "modules",
						"providers"};
	enum dlang_spec spec = p->lex.d->src->spec;
	struct tok number = *t;
	bool overflow;
	long bad_digit;

	if (lex_number(t->text, t->len, &number, &bad_digit, &overflow) != t->len ||
	    bad_digit >= 0)
		lex_error(&p->lex, &t->pos, "D_SYNTAX", "syntax error near \"%s\"",
			  t->text);
	else if (spec != DLANG_SPEC_NAME)
		lex_error(&p->lex, &t->pos, "D_PDESC_INVAL",
			  "probe identifier %s not permitted when specifying %s",
			  t->text, specified[spec]);
	else if (overflow || number.value > UINT32_MAX)
		lex_error(&p->lex, &t->pos, "D_PDESC_INVAL",
			  "identifier %s exceeds maximum probe id", t->text);
	else if (number.value == 0)
		lex_error(&p->lex, &t->pos, "D_PDESC_INVAL",
			  "invalid probe identifier 0: Unknown probe identifier");
	else
		probe->id = (uint32_t)number.value;
	return probe->id ? probe : bad(p, probe);
}

/* The beginnings of the fields; a field ends at the ":" before the next. */
struct fields {
	const char *start[4];
	const char *last; /* the beginning of the last of them */
	size_t count;	  /* may exceed 4 */
};

static struct fields split(const char *s)
{
	struct fields f = {.start = {s}, .last = s, .count = 1};

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
		} else if (*s == ':') {
			f.last = s + 1;
			if (f.count++ < 4)
				f.start[f.count - 1] = f.last;
		}
	}
	return f;
}

/* Whether each ":" in the text is part of a "::" between other characters. */
static bool is_scoped(const char *s, const char *end)
{
	for (const char *p = s; p < end; p++) {
		if (*p == '\\' && p + 1 < end) {
			p++;
		} else if (*p == ':') {
			if (p == s || p + 2 >= end || p[1] != ':' || p[2] == ':')
				return false;
			p++;
		}
	}
	return true;
}

/* Surplus fields on the left are no fields if they are empty: ":::BEGIN" by -m. */
static void drop_empty(struct fields *f, size_t most)
{
	while (f->count > most && f->count <= 4 && f->start[1] == f->start[0] + 1) {
		for (size_t i = 1; i < f->count; i++)
			f->start[i - 1] = f->start[i];
		f->count--;
	}
}

/* Whether the module is that of generated code (tracer/providers/generated.h). */
static bool is_generated(const struct fields *f)
{
	return strncmp(f->start[1], "jit:", 4) == 0;
}

/*
 * If a description has all its fields, the function may be a C++ or Rust name:
 * pid1:a.out:ns::f:entry, or that of a managed method:
 * pid1:jit:Namespace.Class:Method:entry. Joins the fields into which split() cut it.
 */
static void join_scopes(struct fields *f, const char *end, size_t most)
{
	const char *function_end = most == 4 ? f->last - 1 : end;

	if (most < 3 || f->count <= most)
		return;
	if (!is_scoped(f->start[2], function_end) && !(most == 4 && is_generated(f)))
		return;
	f->start[3] = f->last;
	f->count = most;
}

/*
 * Replaces the macros in the n characters at s by their text. The result lies in the
 * arena; NULL: a macro is not defined.
 */
static const char *expand(struct parser *p, const char *s, size_t n)
{
	struct strbuf out = {0};
	const char *result = NULL, *text;

	for (const char *end = s + n; s < end;) {
		if (*s == '\\' && s + 1 < end) {
			strbuf_add(&out, s, 2);
			s += 2;
			continue;
		}
		if (*s != '$') {
			strbuf_putc(&out, *s++);
			continue;
		}
		s += s[1] == '$' ? 2 : 1;
		text = macro_text(&p->lex, s, macro_length(s));
		if (!text)
			goto out;
		strbuf_puts(&out, text);
		s += macro_length(s);
	}
	result = arena_strndup(&p->lex.d->arena, out.data ? out.data : "", out.len);
out:
	strbuf_release(&out);
	return result;
}

static struct ast_probe *four_tuple(struct parser *p, struct ast_probe *probe,
				    const struct tok *t)
{
	size_t most = 4 - (size_t)p->lex.d->src->spec;
	struct fields f = split(t->text);

	join_scopes(&f, t->text + t->len, most);
	drop_empty(&f, most);
	if (f.count > most)
		return invalid(p, probe, t, "Overspecified probe description");
	for (size_t i = 0; i < f.count; i++) {
		const char *end =
			i + 1 < f.count ? f.start[i + 1] - 1 : t->text + t->len;
		size_t field = most - f.count + i;
		const char *text = expand(p, f.start[i], (size_t)(end - f.start[i]));

		if (!text)
			return invalid(p, probe, t,
				       "Undefined macro variable in probe description");
		if (strlen(text) > field_max[field])
			return invalid(p, probe, t, "File name too long");
		probe->field[field] = text;
	}
	return probe;
}

/* specifier: number | [[[provider ":"] module ":"] function ":"] name */
struct ast_probe *parse_probe(struct parser *p)
{
	struct ast_probe *probe = parse_alloc(p, sizeof(*probe));
	struct tok t = p->tok;

	probe->pos = t.pos;
	for (size_t i = 0; i < 4; i++)
		probe->field[i] = "";
	parse_advance(p);
	if (lex_is_digit(t.text[0]))
		return identifier(p, probe, &t);
	return four_tuple(p, probe, &t);
}
