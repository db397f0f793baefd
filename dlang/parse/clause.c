/* SPDX-License-Identifier: MIT */
/*
 * Clauses and their statements.
 */
#include "dlang/parse/internal.h"
#include "dlang/base/version.h"

static struct ast_stmt *statement(struct parser *p);

/* block: "{" { statement } "}"; begins after the "{" and stops at the "}" */
static struct ast_stmt *block(struct parser *p)
{
	struct ast_stmt *list = NULL, **tail = &list;

	while (p->tok.kind != TOK_RBRACE && p->tok.kind != TOK_END) {
		struct ast_stmt *s = statement(p);

		if (parse_is_failed(p)) {
			parse_skip_statement(p);
		} else if (s) {
			*tail = s;
			tail = &s->next;
		}
	}
	return list;
}

/* branch: block | statement */
static struct ast_stmt *branch(struct parser *p)
{
	struct ast_stmt *s;

	if (!parse_accept(p, TOK_LBRACE))
		return statement(p);
	s = block(p);
	parse_expect(p, TOK_RBRACE);
	return s;
}

/* if: "if" "(" expression ")" branch [ "else" branch ] */
static struct ast_stmt *if_statement(struct parser *p)
{
	struct ast_stmt *s = parse_alloc(p, sizeof(*s));

	s->kind = STMT_IF;
	s->pos = p->tok.pos;
	parse_advance(p);
	parse_expect(p, TOK_LPAREN);
	s->expr = parse_expression(p);
	parse_expect(p, TOK_RPAREN);
	s->then = branch(p);
	if (parse_accept(p, KW_ELSE))
		s->otherwise = branch(p);
	return s;
}

/* The ";" may be omitted before "}". */
static struct ast_stmt *expression_statement(struct parser *p)
{
	struct ast_stmt *s = parse_alloc(p, sizeof(*s));

	s->kind = STMT_EXPR;
	s->pos = p->tok.pos;
	s->expr = parse_expression(p);
	if (p->tok.kind != TOK_RBRACE)
		parse_expect(p, TOK_SEMI);
	return s;
}

/* "if" is a statement from version 1.12.1 on; before, it is a reserved word. */
static bool has_if(const struct parser *p)
{
	uint32_t version = p->lex.d->options.version;

	return p->tok.kind == KW_IF && (!version || version >= VERSION(1, 12, 1));
}

/* statement: ";" | if | expression ";"; NULL for the empty one */
static struct ast_stmt *statement(struct parser *p)
{
	struct ast_stmt *s = NULL;

	if (parse_enter(p) && !parse_accept(p, TOK_SEMI))
		s = has_if(p) ? if_statement(p) : expression_statement(p);
	parse_leave(p);
	return s;
}

/* Whether the look-ahead follows the number of a probe immediately. */
static bool is_adjacent(const struct parser *p, const struct tok *number)
{
	return lex_is_digit(number->text[0]) && p->tok.kind == TOK_PROBE &&
	       p->tok.start == number->start + number->written;
}

/* specifiers: specifier { "," specifier }; no "," is needed after a number */
static struct ast_probe *probe_list(struct parser *p)
{
	struct ast_probe *list = NULL, **tail = &list;
	struct tok first;

	do {
		first = p->tok;
		if (p->tok.kind != TOK_PROBE) {
			parse_unexpected(p);
			break;
		}
		*tail = parse_probe(p);
		tail = &(*tail)->next;
	} while (is_adjacent(p, &first) || parse_accept(p, TOK_COMMA));
	return list;
}

/* predicate: "/" expression "/" */
static struct ast_expr *predicate(struct parser *p)
{
	struct ast_expr *e;

	p->lex.mode = LEX_PREDICATE;
	p->lex.parens = p->lex.brackets = 0;
	parse_advance(p);
	e = parse_expression(p);
	p->lex.mode = LEX_OUTER;
	parse_expect(p, TOK_PRED_END);
	if (p->tok.kind != TOK_LBRACE)
		parse_fail(p, "D_SYNTAX",
			   "expected actions { } following probe description and "
			   "predicate");
	return e;
}

/* The statements between the braces of a clause. */
static struct ast_stmt *body(struct parser *p)
{
	struct ast_stmt *s;

	p->lex.mode = LEX_BODY;
	parse_expect(p, TOK_LBRACE);
	s = block(p);
	parse_end_external(p, TOK_RBRACE);
	return s;
}

/* The rest of a clause after its specifiers. */
static void clause_rest(struct parser *p, struct ast_clause *c)
{
	if (p->tok.kind == TOK_DIV)
		c->predicate = predicate(p);
	if (p->tok.kind != TOK_LBRACE && !parse_is_failed(p)) {
		if (dlang_is_file(p->lex.d))
			parse_fail(p, "D_SYNTAX",
				   "expected predicate and/or actions following probe "
				   "description");
		return;
	}
	if (parse_is_failed(p) && !parse_skip_to_body(p))
		return;
	c->body = body(p);
}

/*
 * The types of args[] depend on the probe, so a clause that uses args[] and has several
 * specifiers becomes one clause for each: the text from start is parsed again.
 */
static void split_clause(const struct parser *start, struct ast_clause *c)
{
	struct ast_probe *probe = c->probes, *next;

	for (; probe->next; probe = next) {
		struct parser again = *start;

		next = probe->next;
		probe->next = NULL;
		c->next = parse_alloc(&again, sizeof(*c));
		c = c->next;
		c->pos = next->pos;
		c->probes = next;
		again.lex.mute = true;
		clause_rest(&again, c);
	}
}

/*
 * clause: specifiers [predicate] "{" { statement } "}"
 *       | specifiers                        (not in a file)
 */
struct ast_clause *parse_clause(struct parser *p)
{
	struct ast_clause *c = parse_alloc(p, sizeof(*c));
	struct parser start;

	c->pos = p->tok.pos;
	c->probes = probe_list(p);
	p->has_args = false;
	start = *p;
	clause_rest(p, c);
	if (p->has_args && !p->has_errors)
		split_clause(&start, c);
	return c;
}
