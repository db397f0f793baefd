/* SPDX-License-Identifier: MIT */
/*
 * External declarations, and what all rules use: tokens, errors, recovery.
 */
#include "dlang/parse/internal.h"

#include <stdio.h>
#include <string.h>

static void trace(struct parser *p)
{
	const struct tok *t = &p->tok;

	strbuf_printf(p->trace, "%u:%u %s", t->pos.line, t->pos.column,
		      tok_name(t->kind));
	if (t->kind == TOK_INT)
		strbuf_printf(p->trace, " %s%llu%s%.*s%s", t->negative ? "-" : "",
			      (unsigned long long)t->value, t->int_unsigned ? "u" : "",
			      t->int_longs, "ll", t->int_decimal ? "" : " not decimal");
	else if (t->kind != TOK_END && t->kind != TOK_ERROR)
		strbuf_printf(p->trace, " %.*s", (int)t->written, t->start);
	strbuf_putc(p->trace, '\n');
}

static void fetch(struct parser *p)
{
	lex_next(&p->lex, &p->tok);
	if (p->trace && !p->lex.mute)
		trace(p);
	if (parse_is_failed(p)) {
		p->has_errors = true;
		p->failed = p->tok;
	}
}

void parse_begin(struct parser *p, struct dlang *d, const struct lex_names *names,
		 struct strbuf *trace_out)
{
	*p = (struct parser){.trace = trace_out};
	lex_begin(&p->lex, d, names);
	fetch(p);
}

int parse_check_operands(struct parser *p)
{
	return macro_check_used(&p->lex);
}

void *parse_alloc(struct parser *p, size_t n)
{
	return arena_alloc(&p->lex.d->arena, n);
}

void parse_advance(struct parser *p)
{
	if (!parse_is_failed(p))
		fetch(p);
}

bool parse_accept(struct parser *p, enum tok_kind kind)
{
	if (p->tok.kind != kind)
		return false;
	parse_advance(p);
	return true;
}

bool parse_expect(struct parser *p, enum tok_kind kind)
{
	if (parse_accept(p, kind))
		return true;
	parse_unexpected(p);
	return false;
}

static void hide(struct parser *p)
{
	p->has_errors = true;
	p->failed = p->tok;
	p->tok.kind = TOK_ERROR;
}

void parse_fail(struct parser *p, const char *tag, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	if (parse_is_failed(p))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lex_error(&p->lex, &p->tok.pos, tag, "%s", text);
	hide(p);
}

/* Statements that D does not have. */
static void hint_word(struct dlang *d, const char *word, size_t n)
{
	static const char loops[][9] = {"for",	"while", "do",
					"goto", "break", "continue"};

	for (size_t i = 0; i < ARRAY_LEN(loops); i++)
		if (strlen(loops[i]) == n && memcmp(loops[i], word, n) == 0)
			diag_hint(d, "D has no loops: a clause runs at each event, and "
				     "tick probes repeat");
	if (n == 5 && memcmp(word, "probe", n) == 0)
		diag_hint(d, "the names of a probe: probeprov, probemod, probefunc, "
			     "probename");
	if (n == 6 && memcmp(word, "switch", n) == 0)
		diag_hint(d, "D has if and else, and predicates: PROBE /a == 1/ {...}");
}

void parse_unexpected(struct parser *p)
{
	const struct tok *t = &p->tok;

	/* After an error, such as an open literal, the end of input is no news. */
	if (t->kind == TOK_END && diag_count(p->lex.d))
		hide(p);
	else if (t->kind == TOK_END)
		parse_fail(p, "D_SYNTAX", "syntax error near end of input");
	else {
		hint_word(p->lex.d, t->start, t->written);
		parse_fail(p, "D_SYNTAX", "syntax error near \"%.*s\"", (int)t->written,
			   t->start);
		p->lex.d->diag.hint = NULL; /* the error may not have been shown */
	}
}

bool parse_enter(struct parser *p)
{
	if (++p->depth <= PARSE_DEPTH_MAX)
		return true;
	parse_fail(p, "D_SYNTAX", "nested too deeply");
	return false;
}

void parse_leave(struct parser *p)
{
	p->depth--;
}

/* ---- recovery ---- */

/* Restores the hidden token. Nothing is reported until skip_end(). */
static void skip_begin(struct parser *p)
{
	if (parse_is_failed(p))
		p->tok = p->failed;
	p->lex.mute = true;
}

static void skip_end(struct parser *p)
{
	p->lex.mute = false;
	p->lex.parens = p->lex.brackets = 0;
}

void parse_skip_statement(struct parser *p)
{
	int depth = 0, parens = p->lex.parens;

	for (skip_begin(p);; fetch(p)) {
		enum tok_kind kind = p->tok.kind;

		if (kind == TOK_END || (kind == TOK_RBRACE && depth == 0)) {
			skip_end(p);
			return;
		}
		depth += (kind == TOK_LBRACE) - (kind == TOK_RBRACE);
		if (depth > 0 || (kind != TOK_SEMI && kind != TOK_RBRACE))
			continue;
		/* A ";" inside parentheses, as in "for (;;)", does not end it. */
		if (kind == TOK_SEMI && p->lex.parens > parens)
			continue;
		/* The statement ends here, unless an else follows. */
		skip_end(p);
		fetch(p);
		if (p->tok.kind != KW_ELSE)
			return;
		p->lex.mute = true;
	}
}

bool parse_skip_to_body(struct parser *p)
{
	p->lex.mode = LEX_BODY;
	for (skip_begin(p); p->tok.kind != TOK_LBRACE && p->tok.kind != TOK_END;
	     fetch(p))
		;
	skip_end(p);
	return p->tok.kind == TOK_LBRACE;
}

/* Skips a failed declaration or clause, its ";" or "}" included. */
static void skip_external(struct parser *p)
{
	int depth;

	p->lex.mode = LEX_BODY;
	skip_begin(p);
	/* The braces that are open before the current token: of a struct, for example. */
	depth = p->lex.braces - (p->tok.kind == TOK_LBRACE) +
		(p->tok.kind == TOK_RBRACE);
	for (; p->tok.kind != TOK_END; fetch(p)) {
		enum tok_kind kind = p->tok.kind;

		depth += (kind == TOK_LBRACE) - (kind == TOK_RBRACE);
		if (depth <= 0 && (kind == TOK_SEMI || kind == TOK_RBRACE))
			break;
	}
	skip_end(p);
	p->lex.braces = 0;
	p->lex.mode = LEX_OUTER;
	if (p->tok.kind == TOK_END)
		return;
	/* A translator or structure ends in "};". */
	if (p->tok.kind == TOK_RBRACE) {
		fetch(p);
		if (p->tok.kind != TOK_SEMI)
			return;
	}
	fetch(p);
}

/* ---- external declarations ---- */

/*
 * The next token is not read before this declaration is checked: control lines may
 * precede it, and they must not affect what is before them.
 */
void parse_end_external(struct parser *p, enum tok_kind last)
{
	if (p->tok.kind != last) {
		parse_unexpected(p);
		return;
	}
	p->lex.mode = LEX_OUTER;
	p->needs_token = true;
}

/*
 * external_declaration: clause | declaration
 *                     | inline_definition | translator | provider
 */
struct external parse_external(struct parser *p)
{
	struct external x = {.kind = EXTERNAL_BAD};
	bool had_errors = p->has_errors;

	if (p->needs_token) {
		p->needs_token = false;
		fetch(p);
	}

	if (p->tok.kind == TOK_END) {
		x.kind = EXTERNAL_END;
		return x;
	}
	p->has_errors = parse_is_failed(p);
	if (p->tok.kind == KW_INLINE) {
		x.inlined = parse_inline(p);
		x.kind = EXTERNAL_INLINE;
	} else if (p->tok.kind == KW_TRANSLATOR) {
		x.translator = parse_translator(p);
		x.kind = EXTERNAL_TRANSLATOR;
	} else if (p->tok.kind == KW_PROVIDER) {
		x.provider = parse_provider(p);
		x.kind = EXTERNAL_PROVIDER;
	} else if (p->tok.kind == TOK_PROBE) {
		x.clause = parse_clause(p);
		x.kind = EXTERNAL_CLAUSE;
	} else if (p->tok.kind == TOK_TYPENAME ||
		   tok_word_flags(p->tok.kind) & WORD_DECL) {
		x.decl = parse_declaration(p);
		x.kind = EXTERNAL_DECL;
	} else {
		parse_unexpected(p);
	}
	if (p->has_errors)
		x.kind = EXTERNAL_BAD;
	if (parse_is_failed(p))
		skip_external(p);
	p->has_errors |= had_errors;
	return x;
}
