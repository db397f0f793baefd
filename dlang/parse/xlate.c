/* SPDX-License-Identifier: MIT */
/*
 * Translators and providers.
 */
#include "dlang/parse/internal.h"

static const char *name_token(struct parser *p, struct ast_pos *pos)
{
	const char *name = p->tok.text;

	*pos = p->tok.pos;
	if (p->tok.kind != TOK_IDENT && p->tok.kind != TOK_TYPENAME &&
	    !(tok_word_flags(p->tok.kind) & WORD_MEMBER)) {
		parse_unexpected(p);
		return "";
	}
	parse_advance(p);
	return name;
}

/* "}" ";" */
static void end_body(struct parser *p)
{
	parse_expect(p, TOK_RBRACE);
	parse_end_external(p, TOK_SEMI);
}

/* conversion: name "=" assignment ";" */
static struct ast_conversion *conversion(struct parser *p)
{
	struct ast_conversion *c = parse_alloc(p, sizeof(*c));

	c->name = name_token(p, &c->pos);
	parse_expect(p, TOK_ASSIGN);
	c->value = parse_assignment(p);
	parse_expect(p, TOK_SEMI);
	return c;
}

/* translator: "translator" type_name "<" named_type ">" "{" { conversion } "}" ";" */
struct ast_translator *parse_translator(struct parser *p)
{
	struct ast_translator *t = parse_alloc(p, sizeof(*t));
	struct ast_conversion **tail = &t->members;

	t->pos = p->tok.pos;
	p->lex.mode = LEX_BODY;
	parse_advance(p);
	t->out = parse_type_name(p);
	parse_expect(p, TOK_LT);
	t->in = parse_named_type(p);
	if (!t->in->declarator->name)
		parse_unexpected(p);
	parse_expect(p, TOK_GT);
	parse_expect(p, TOK_LBRACE);
	while (p->tok.kind != TOK_RBRACE && !parse_is_failed(p)) {
		*tail = conversion(p);
		tail = &(*tail)->next;
	}
	end_body(p);
	return t;
}

/* probe: "probe" name "(" parameters ")" [ ":" "(" parameters ")" ] ";" */
static struct ast_probe_def *probe_def(struct parser *p)
{
	struct ast_probe_def *d = parse_alloc(p, sizeof(*d));

	parse_expect(p, KW_PROBE);
	d->name = name_token(p, &d->pos);
	parse_expect(p, TOK_LPAREN);
	d->native = parse_parameters(p);
	if (parse_accept(p, TOK_COLON)) {
		parse_expect(p, TOK_LPAREN);
		d->output = parse_parameters(p);
	}
	parse_expect(p, TOK_SEMI);
	return d;
}

/* provider: "provider" name "{" { probe } "}" ";" */
struct ast_provider *parse_provider(struct parser *p)
{
	struct ast_provider *v = parse_alloc(p, sizeof(*v));
	struct ast_probe_def **tail = &v->probes;

	p->lex.mode = LEX_BODY;
	parse_advance(p);
	v->name = name_token(p, &v->pos);
	parse_expect(p, TOK_LBRACE);
	while (p->tok.kind != TOK_RBRACE && !parse_is_failed(p)) {
		*tail = probe_def(p);
		tail = &(*tail)->next;
	}
	end_body(p);
	return v;
}
