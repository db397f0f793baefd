/* SPDX-License-Identifier: MIT */
/*
 * Control lines: #pragma, #line, #error, #ident, #!. They take effect when the lexer
 * reads them, between clauses as well as inside.
 */
#include "dlang/base/diag.h"
#include "dlang/base/version.h"
#include "dlang/parse/lex.h"
#include "vm/base/fmt.h"

#include <string.h>

/* The rest of a control line, and the position of its #. */
struct line {
	const char *p, *end;
	struct ast_pos pos;
};

/* A word of the line; n is 0 at its end. */
struct slice {
	const char *s;
	size_t n;
};

static void skip_blanks(struct line *l)
{
	while (l->p < l->end && lex_is_blank(*l->p))
		l->p++;
}

static struct slice next_word(struct line *l)
{
	struct slice w;

	skip_blanks(l);
	w.s = l->p;
	while (l->p < l->end && !lex_is_blank(*l->p))
		l->p++;
	w.n = (size_t)(l->p - w.s);
	return w;
}

static bool is_word(struct slice w, const char *text)
{
	return strlen(text) == w.n && memcmp(w.s, text, w.n) == 0;
}

/* The rest of the line, without blanks at its ends. */
static struct slice rest(struct line *l)
{
	struct slice r;

	skip_blanks(l);
	while (l->end > l->p && lex_is_blank(l->end[-1]))
		l->end--;
	r = (struct slice){l->p, (size_t)(l->end - l->p)};
	l->p = l->end;
	return r;
}

static struct slice unquoted(struct slice r)
{
	if (r.n >= 2 && r.s[0] == '"' && r.s[r.n - 1] == '"')
		return (struct slice){r.s + 1, r.n - 2};
	return r;
}

/* ---- #line ---- */

/*
 * N ["file" flags...]: the number of the next line. The name of the program, and
 * "<stdin>" from the preprocessor, mean the program itself.
 */
static void set_line(struct lexer *lx, struct line *l)
{
	struct slice number = next_word(l), file = rest(l);
	const char *close;
	uint64_t n;

	if (fmt_parse_u64(number.s, number.n, 10, &n) || n > UINT32_MAX) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "line number expected in #line");
		return;
	}
	lx->line = (uint32_t)n - 1;
	if (file.n == 0)
		return;
	close = *file.s == '"' ? memchr(file.s + 1, '"', file.n - 1) : NULL;
	if (!close) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "file name in quotes expected in #line");
		return;
	}
	file = (struct slice){file.s + 1, (size_t)(close - file.s) - 1};
	if (file.n == 0 || is_word(file, lx->d->src->name) || is_word(file, "<stdin>"))
		lx->file = NULL;
	else
		lx->file = arena_strndup(&lx->d->arena, file.s, file.n);
}

/* ---- #pragma D ---- */

static void pragma_error(struct lexer *lx, struct line *l)
{
	struct slice text = unquoted(rest(l));

	lex_error(lx, &l->pos, "D_PRAGERR", "#error: %.*s", (int)text.n, text.s);
}

static void pragma_ident(struct lexer *lx, struct line *l)
{
	(void)lx;
	(void)l;
}

static void pragma_option(struct lexer *lx, struct line *l)
{
	struct dlang *d = lx->d;
	struct slice word = next_word(l);
	struct err e = {0};
	char *name, *value;

	if (word.n == 0) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "#pragma D option must name an option");
		return;
	}
	if (next_word(l).n) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "superfluous arguments specified for #pragma option");
		return;
	}
	if (lx->mute || !d->env.option)
		return;
	name = arena_strndup(&d->arena, word.s, word.n);
	value = strchr(name, '=');
	if (value)
		*value++ = '\0';
	if (d->env.option(d->env.ctx, name, value, &e) == 0)
		return;
	if (value)
		lex_error(lx, &l->pos, "D_PRAGMA_OPTSET",
			  "failed to set option '%s' to '%s': %s", name, value, e.text);
	else
		lex_error(lx, &l->pos, "D_PRAGMA_OPTSET",
			  "failed to set option '%s': %s", name, e.text);
}

/* Whether the caller has what the program requires. */
static bool is_available(const struct lexer *lx, struct slice class, struct slice name)
{
	struct dlang *d = lx->d;

	return d->env.has &&
	       d->env.has(d->env.ctx, arena_strndup(&d->arena, class.s, class.n),
			  arena_strndup(&d->arena, name.s, name.n));
}

static void pragma_depends_on(struct lexer *lx, struct line *l)
{
	struct slice class = next_word(l), name = next_word(l);

	if (name.n == 0 || next_word(l).n)
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "#pragma D depends_on takes a class and a name");
	else if (!is_word(class, "provider") && !is_word(class, "module") &&
		 !is_word(class, "library"))
		lex_error(lx, &l->pos, "D_PRAGMA_INVAL",
			  "invalid class %.*s specified for #pragma D depends_on",
			  (int)class.n, class.s);
	else if (lx->d->src->library)
		return; /* the loader of libraries has checked it */
	else if (is_word(class, "library"))
		lex_error(lx, &l->pos, "D_PRAGMA_DEPEND",
			  "main program may not explicitly depend on a library");
	else if (!is_available(lx, class, name))
		lex_error(lx, &l->pos, "D_PRAGMA_DEPEND",
			  "program requires %.*s %.*s, which is not available",
			  (int)class.n, class.s, (int)name.n, name.s);
}

/* ---- pragmas about names ---- */

static const char *text_of(const struct lexer *lx, struct slice w)
{
	return arena_strndup(&lx->d->arena, w.s, w.n);
}

/* attributes A/B/C provider NAME provider|module|function|name|args */
static void provider_attributes(struct lexer *lx, struct line *l, struct stability attr)
{
	struct slice name = next_word(l), field = next_word(l);

	if (field.n == 0 || next_word(l).n)
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "malformed #pragma attributes <attributes> provider <name> "
			  "<component>");
	else
		lx->names->provider_attributes(lx->d, &l->pos, text_of(lx, name),
					       text_of(lx, field), attr);
}

static void pragma_attributes(struct lexer *lx, struct line *l)
{
	struct slice triplet = next_word(l), name = next_word(l);
	struct stability attr;

	if (lx->mute)
		return;
	if (name.n == 0)
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "malformed #pragma attributes <attributes> <ident>");
	else if (!stability_parse(triplet.s, triplet.n, &attr))
		lex_error(lx, &l->pos, "D_PRAGMA_INVAL",
			  "invalid attributes specified by #pragma attributes");
	else if (is_word(name, "provider"))
		provider_attributes(lx, l, attr);
	else if (next_word(l).n)
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "superfluous arguments specified for #pragma attributes");
	else
		lx->names->attributes(lx->d, &l->pos, text_of(lx, name), attr);
}

static void pragma_binding(struct lexer *lx, struct line *l)
{
	struct slice number = next_word(l), name = next_word(l);
	uint32_t version;

	if (lx->mute)
		return;
	if (name.n == 0 || next_word(l).n) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "malformed #pragma binding <version> <ident>");
		return;
	}
	number = unquoted(number);
	if (version_parse(number.s, number.n, &version))
		lex_error(lx, &l->pos, "D_PRAGMA_INVAL",
			  "invalid version string \"%.*s\" in #pragma binding",
			  (int)number.n, number.s);
	else
		lx->names->binding(lx->d, &l->pos, text_of(lx, name), version);
}

static const struct directive {
	const char *name;
	void (*run)(struct lexer *, struct line *);
} pragmas[] = {
	{"option", pragma_option},	   {"error", pragma_error},
	{"ident", pragma_ident},	   {"line", set_line},
	{"depends_on", pragma_depends_on}, {"attributes", pragma_attributes},
	{"binding", pragma_binding},
};

static void pragma(struct lexer *lx, struct line *l)
{
	struct slice name;

	/* Pragmas of other tools are ignored. */
	if (!is_word(next_word(l), "D"))
		return;
	name = next_word(l);
	for (size_t i = 0; i < ARRAY_LEN(pragmas); i++) {
		if (is_word(name, pragmas[i].name)) {
			pragmas[i].run(lx, l);
			return;
		}
	}
	if (name.n == 0)
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "#pragma D must name a directive");
	else
		lex_error(lx, &l->pos, "D_PRAGMA_INVAL", "invalid D pragma: %.*s",
			  (int)name.n, name.s);
}

static const struct directive directives[] = {
	{"pragma", pragma},
	{"line", set_line},
	{"error", pragma_error},
	{"ident", pragma_ident},
};

void pragma_line(struct lexer *lx, const char *end)
{
	struct line l = {.p = lx->p + 1, .end = end, .pos = lex_pos(lx, lx->p)};
	struct slice name;

	/* "#!/usr/sbin/dtrace -s", and "#" alone */
	if (l.p < end && *l.p == '!')
		return;
	skip_blanks(&l);
	if (l.p == end)
		return;
	if (lex_is_digit(*l.p)) {
		set_line(lx, &l);
		return;
	}
	name = next_word(&l);
	for (size_t i = 0; i < ARRAY_LEN(directives); i++) {
		if (is_word(name, directives[i].name)) {
			directives[i].run(lx, &l);
			return;
		}
	}
	lex_error(lx, &l.pos, "D_PRAGCTL_INVAL", "invalid control directive: #%.*s",
		  (int)name.n, name.s);
}
