/* SPDX-License-Identifier: MIT */
/*
 * The lexer: white space, comments, words, punctuation, probe specifiers. Literals,
 * macros and control lines are in literal.c, macro.c and pragma.c.
 */
#include "dlang/parse/lex.h"
#include "dlang/base/diag.h"

#include <stdio.h>
#include <string.h>

#define PATH_MAX_CHARS 128 /* of a source file in a description */

static const struct word {
	const char *text;
	enum tok_kind kind;
	unsigned flags;
} words[] = {
#define KEYWORD(name, text, flags) {text, KW_##name, flags},
#define PUNCT(name, text)
#include "dlang/parse/tok.def"
#undef KEYWORD
#undef PUNCT
};

static const struct punct {
	const char *text;
	enum tok_kind kind;
} puncts[] = {
#define KEYWORD(name, text, flags)
#define PUNCT(name, text) {text, TOK_##name},
#include "dlang/parse/tok.def"
#undef KEYWORD
#undef PUNCT
};

static const char *const names[] = {
	"END",	  "ERROR", "PROBE",    "PRED_END", "INT",
	"STRING", "IDENT", "TYPENAME", "AGG",
#define KEYWORD(name, text, flags) "KW_" #name,
#define PUNCT(name, text)	   #name,
#include "dlang/parse/tok.def"
#undef KEYWORD
#undef PUNCT
};

const char *tok_name(enum tok_kind kind)
{
	return names[kind];
}

unsigned tok_word_flags(enum tok_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].kind == kind)
			return words[i].flags;
	return 0;
}

void lex_add_typename(struct dlang *d, const char *name)
{
	strmap_set(&d->typenames, name, 1);
}

void lex_init(struct dlang *d)
{
	static const char *const types[] = {
#define TYPENAME(name, text) #name,
#include "dlang/base/typename.def"
#undef TYPENAME
	};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		lex_add_typename(d, types[i]);
}

void lex_release(struct dlang *d)
{
	strmap_release(&d->typenames);
}

void lex_begin(struct lexer *lx, struct dlang *d, const struct lex_names *asked)
{
	*lx = (struct lexer){
		.d = d,
		.names = asked,
		.p = d->src->text,
		.line_start = d->src->text,
		.line = 1,
		.mode = LEX_OUTER,
	};
}

struct ast_pos lex_pos(const struct lexer *lx, const char *p)
{
	return (struct ast_pos){
		.offset = (uint32_t)(p - lx->d->src->text),
		.line = lx->line,
		.column = (uint32_t)(p - lx->line_start) + 1,
		.file = lx->file,
	};
}

int lex_error(struct lexer *lx, const struct ast_pos *pos, const char *tag,
	      const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	if (lx->mute)
		return STATUS_SYNTAX;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return diag(lx->d, pos, tag, "%s", text);
}

/* ---- character classes ---- */

static bool is_word(char c)
{
	return lex_is_name_char(c) || c == '`';
}

static bool is_word_start(char c)
{
	return is_word(c) && !lex_is_digit(c);
}

/* A backslash quotes the next character; before a newline it continues the line. */
static bool is_probe_char(const char *p)
{
	if (p[0] == '\\')
		return p[1] != '\n' && !(p[1] == '\r' && p[2] == '\n') && p[1] != '\0';
	return is_word(*p) || (*p && strchr("-.$:?*[]!", *p));
}

/* ---- white space, comments, control lines ---- */

static void newline(struct lexer *lx)
{
	lx->p++;
	lx->line++;
	lx->line_start = lx->p;
}

/* Length of a backslash-newline at p, else 0. */
static size_t continuation(const char *p)
{
	if (p[0] != '\\')
		return 0;
	if (p[1] == '\n')
		return 2;
	return p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static void comment(struct lexer *lx)
{
	struct ast_pos pos = lex_pos(lx, lx->p);

	for (lx->p += 2; *lx->p;) {
		if (lx->p[0] == '*' && lx->p[1] == '/') {
			lx->p += 2;
			return;
		}
		if (lx->p[0] == '/' && lx->p[1] == '*') {
			struct ast_pos inner = lex_pos(lx, lx->p);

			lex_error(lx, &inner, "D_SYNTAX",
				  "/* encountered inside a comment");
			lx->p++;
		}
		if (*lx->p == '\n')
			newline(lx);
		else
			lx->p++;
	}
	lex_error(lx, &pos, "D_SYNTAX", "end-of-file encountered before matching */");
}

static bool is_first_on_line(const struct lexer *lx)
{
	for (const char *p = lx->line_start; p < lx->p; p++)
		if (!lex_is_blank(*p))
			return false;
	return true;
}

/* "#!" and "#" alone need no newline. */
static void control_line(struct lexer *lx)
{
	struct ast_pos pos = lex_pos(lx, lx->p);
	const char *end = lx->p + strcspn(lx->p, "\n");
	const char *text = lx->p + 1 + strspn(lx->p + 1, " \t");

	if (!*end && *text && *text != '!')
		lex_error(lx, &pos, "D_SYNTAX",
			  "end-of-file encountered before end of control line");
	else
		pragma_line(lx, end);
	lx->p = end;
}

static void skip_space(struct lexer *lx)
{
	for (;;) {
		const char *p = lx->p;

		if (lex_is_blank(*p)) {
			lx->p++;
		} else if (*p == '\n') {
			newline(lx);
		} else if (continuation(p)) {
			lx->p += continuation(p) - 1;
			newline(lx);
		} else if (p[0] == '/' && p[1] == '*') {
			comment(lx);
		} else if (*p == '#' && is_first_on_line(lx)) {
			control_line(lx);
		} else {
			return;
		}
	}
}

/* ---- words ---- */

/* "::" and a word */
static bool is_inner_name(const char *s)
{
	return s[0] == ':' && s[1] == ':' && is_word_start(s[2]);
}

/*
 * A name may hold backquotes, and dots in the parts before the last one:
 * libc.so.6`environ. After a backquote it may have namespaces: a.out`ns::count.
 */
size_t lex_ident_length(const char *s)
{
	size_t n = 0, scope = 0;

	if (!is_word_start(*s))
		return 0;
	for (size_t i = 0; is_word(s[i]) || s[i] == '.'; i++)
		if (s[i] == '`')
			scope = i + 1;
	for (n = scope; is_word(s[n]) || (scope && is_inner_name(s + n)); n++)
		n += s[n] == ':' ? 1 : 0;
	return n;
}

/* The end of "<...>" at s; NULL: it is no list of template arguments of one line. */
static const char *template_end(const char *s)
{
	int depth = 0;

	do {
		depth += *s == '<';
		depth -= *s == '>';
	} while (*++s && !strchr("\n;{}\"", *s) && depth);
	return depth || s[strspn(s, " \t")] == '{' ? NULL : s;
}

void lex_tag_rest(struct lexer *lx, struct tok *t)
{
	const char *s = lx->p, *end;

	for (;;) {
		if (is_inner_name(s))
			for (s += 2; is_word(*s); s++)
				;
		else if (*s == '<' && (end = template_end(s)))
			s = end;
		else
			break;
	}
	t->text =
		arena_printf(&lx->d->arena, "%s%.*s", t->text, (int)(s - lx->p), lx->p);
	t->len += (size_t)(s - lx->p);
	lx->p = s;
}

static bool is_tag_word(const char *s)
{
	return strcmp(s, "struct") == 0 || strcmp(s, "union") == 0 ||
	       strcmp(s, "enum") == 0;
}

/* "mod`struct" begins a type as well: a tag follows. */
static bool is_typename(const struct lexer *lx, const char *name)
{
	const char *last = strrchr(name, '`');

	if (!last)
		return strmap_get(&lx->d->typenames, name, NULL);
	return is_tag_word(last + 1) || lx->names->is_scoped_type(lx->d, name);
}

static const struct word *find_keyword(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].text) == n && memcmp(words[i].text, s, n) == 0)
			return &words[i];
	return NULL;
}

void lex_word(struct lexer *lx, struct tok *t, const char *s, size_t n)
{
	const struct word *w = find_keyword(s, n);

	t->text = arena_strndup(&lx->d->arena, s, n);
	t->len = n;
	if (w)
		t->kind = w->kind;
	else
		t->kind = is_typename(lx, t->text) ? TOK_TYPENAME : TOK_IDENT;
}

static void word(struct lexer *lx, struct tok *t)
{
	size_t n = lex_ident_length(lx->p);

	lex_word(lx, t, lx->p, n);
	lx->p += n;
}

static void aggregation(struct lexer *lx, struct tok *t)
{
	const char *s = ++lx->p;

	if (!lex_is_digit(*s))
		while (lex_is_name_char(*lx->p))
			lx->p++;
	t->kind = TOK_AGG;
	t->len = (size_t)(lx->p - s);
	t->text = t->len ? arena_strndup(&lx->d->arena, s, t->len) : "_";
	t->len = t->len ? t->len : 1;
}

/* ---- punctuation ---- */

static void unknown_character(struct lexer *lx, struct tok *t)
{
	unsigned char c = (unsigned char)*lx->p;

	t->kind = TOK_ERROR;
	lx->p++;
	if (c > ' ' && c < 0x7f)
		lex_error(lx, &t->pos, "D_SYNTAX", "syntax error near \"%c\"", c);
	else
		lex_error(lx, &t->pos, "D_SYNTAX", "syntax error near \"\\x%02x\"", c);
}

static void balance(struct lexer *lx, struct tok *t)
{
	int *open = NULL;

	switch (t->kind) {
	case TOK_LPAREN:
		lx->parens++;
		return;
	case TOK_LBRACKET:
		lx->brackets++;
		return;
	case TOK_LBRACE:
		lx->braces++;
		return;
	case TOK_RPAREN:
		open = &lx->parens;
		break;
	case TOK_RBRACKET:
		open = &lx->brackets;
		break;
	case TOK_RBRACE:
		open = &lx->braces;
		break;
	default:
		return;
	}
	if (--*open >= 0)
		return;
	*open = 0;
	if (lx->mode == LEX_OUTER)
		lex_error(lx, &t->pos, "D_SYNTAX", "syntax error near \"%c\"",
			  *t->start);
	else
		lex_error(lx, &t->pos, "D_SYNTAX", "extra %c in input stream",
			  *t->start);
	/* While it skips, the parser searches for the brace. */
	if (!lx->mute)
		t->kind = TOK_ERROR;
}

/* The character after blanks, continuations and control lines that follow p. */
static char next_visible(const char *p)
{
	for (;;) {
		if (lex_is_blank(*p) || *p == '\n')
			p++;
		else if (continuation(p))
			p += continuation(p);
		else if (*p == '#' && p[-1] == '\n')
			p += strcspn(p, "\n");
		else
			return *p;
	}
}

/* "/" ends the predicate if the next character cannot continue an expression. */
static bool is_predicate_end(const struct lexer *lx)
{
	char c;

	if (lx->mode != LEX_PREDICATE || *lx->p != '/')
		return false;
	c = next_visible(lx->p + 1);
	return c == ';' || c == '{' || c == '/' || c == '\0';
}

static void predicate_end(struct lexer *lx, struct tok *t)
{
	t->kind = TOK_PRED_END;
	lx->p++;
	if (lx->parens)
		lex_error(lx, &t->pos, "D_SYNTAX",
			  "closing ) expected in predicate before /");
	else if (lx->brackets)
		lex_error(lx, &t->pos, "D_SYNTAX",
			  "closing ] expected in predicate before /");
	if (lx->parens || lx->brackets)
		t->kind = TOK_ERROR;
}

static void punctuation(struct lexer *lx, struct tok *t)
{
	for (size_t i = 0; i < ARRAY_LEN(puncts); i++) {
		size_t n = strlen(puncts[i].text);

		if (strncmp(lx->p, puncts[i].text, n) == 0) {
			t->kind = puncts[i].kind;
			lx->p += n;
			balance(lx, t);
			return;
		}
	}
	unknown_character(lx, t);
}

static void body_token(struct lexer *lx, struct tok *t)
{
	const char *p = lx->p;

	if (is_word_start(*p))
		word(lx, t);
	else if (lex_is_digit(*p) || (*p == '.' && lex_is_digit(p[1])))
		lex_int(lx, t);
	else if (*p == '"')
		lex_string(lx, t);
	else if (*p == '\'')
		lex_char(lx, t);
	else if (*p == '$')
		macro_token(lx, t);
	else if (*p == '@')
		aggregation(lx, t);
	else if (is_predicate_end(lx))
		predicate_end(lx, t);
	else
		punctuation(lx, t);
}

/* ---- outer scope ---- */

static bool is_type_word(struct lexer *lx, const char *s, size_t n)
{
	const struct word *w = find_keyword(s, n);

	if (w)
		return w->flags & WORD_DECL;
	return is_typename(lx, arena_strndup(&lx->d->arena, s, n));
}

/* "word_t x", "word_t *x": a type that only the traced program knows. */
static bool is_target_type(struct lexer *lx, const char *s, size_t n)
{
	const char *next = s + n + strspn(s + n, " \t");

	if (next == s + n || (!is_word_start(*next) && *next != '*') ||
	    lex_ident_length(s) != n)
		return false;
	return lx->names->is_target_type(lx->d, arena_strndup(&lx->d->arena, s, n));
}

/*
 * How much of the n characters at s is the first word of a declaration: all,
 * or in a file "int" of "int*x". With -f, -m and -P the argument begins with
 * a name of the target, which may be spelled like a D keyword.
 */
static size_t declaration_word(struct lexer *lx, const char *s, size_t n)
{
	const struct dlang_source *src = lx->d->src;
	const char *star = memchr(s, '*', n);
	bool is_file = dlang_is_file(lx->d);

	if (!lx->has_token && !is_file && src->spec != DLANG_SPEC_NAME)
		return 0;
	if (is_file && star && !memchr(s, ':', n) && !lx->d->options.pspec)
		n = (size_t)(star - s);
	return is_type_word(lx, s, n) || is_target_type(lx, s, n) ? n : 0;
}

/* The number of a probe is a token of its own: "4-2" is 4 and a description, "-2". */
static size_t identifier_length(const char *s, size_t n)
{
	struct tok number = {0};
	bool overflow;
	long bad;
	size_t digits = lex_number(s, n, &number, &bad, &overflow);

	return digits ? digits : n;
}

/* "uprobe:/bin/bash:readline", as other tools say: the error is to come. */
static void hint_path(const struct lexer *lx, const char *s)
{
	static const char *const forms[][2] = {{"uprobe:", "entry"},
					       {"uretprobe:", "return"}};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const char *path = s + strlen(forms[i][0]), *base = path, *function;
		size_t n;

		if (strncmp(s, forms[i][0], strlen(forms[i][0])) != 0)
			continue;
		n = strcspn(path, ": \t\n{");
		function = path + n + 1;
		for (size_t k = 0; k < n; k++)
			base = path[k] == '/' ? path + k + 1 : base;
		if (path[n] == ':' && base > path)
			diag_hint(lx->d, "did you mean 'pid$target:%.*s:%.*s:%s'?",
				  (int)(path + n - base), base,
				  (int)strcspn(function, " \t\n/{,+"), function,
				  forms[i][1]);
	}
}

/*
 * "/" in the path of a source file, "src/server.c@12", or before a predicate: then
 * there is no "@" and number behind it.
 */
static bool is_in_path(const char *s)
{
	for (int n = 0; n < PATH_MAX_CHARS && (is_probe_char(s) || *s == '/'); n++)
		s += *s == '\\' ? 2 : 1;
	return s[0] == '@' && (lex_is_digit(s[1]) || strchr("*?[", s[1])) && s[1];
}

/* The length of the characters at s that are parts of a description. */
static size_t description_length(const char *s)
{
	size_t n = 0;

	while (is_probe_char(s + n) || (n && s[n] == '@') ||
	       (n && s[n] == '/' && is_in_path(s + n)))
		n += s[n] == '\\' ? 2 : 1;
	return n;
}

static void outer_token(struct lexer *lx, struct tok *t)
{
	const char *s = lx->p;
	size_t n, decl;

	if (*s == '`' || !is_probe_char(s)) {
		body_token(lx, t);
		return;
	}
	n = description_length(s);
	if (lex_is_digit(*s))
		n = identifier_length(s, n);
	if (s[n] == '/')
		hint_path(lx, s);
	decl = declaration_word(lx, s, n);
	if (decl) {
		lex_word(lx, t, s, decl);
		if (t->kind == TOK_IDENT)
			t->kind = TOK_TYPENAME;
		lx->p += decl;
		return;
	}
	t->kind = TOK_PROBE;
	t->text = arena_strndup(&lx->d->arena, s, n);
	t->len = n;
	lx->p += n;
}

void lex_next(struct lexer *lx, struct tok *t)
{
	skip_space(lx);
	*t = (struct tok){.kind = TOK_END, .start = lx->p, .pos = lex_pos(lx, lx->p)};
	if (*lx->p == '\0')
		return;
	if (lx->mode == LEX_OUTER)
		outer_token(lx, t);
	else
		body_token(lx, t);
	t->written = (size_t)(lx->p - t->start);
	lx->has_token = true;
}
