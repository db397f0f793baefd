/* SPDX-License-Identifier: MIT */
/*
 * Inline definitions.
 */
#include "dlang/parse/internal.h"

/* inline_definition: "inline" named_type "=" assignment ";" */
struct ast_inline *parse_inline(struct parser *p)
{
	struct ast_inline *def = parse_alloc(p, sizeof(*def));
	struct ast_declarator *v;

	def->pos = p->tok.pos;
	p->lex.mode = LEX_BODY;
	parse_advance(p);
	def->what = parse_named_type(p);
	v = def->what->declarator;
	if (!v->name)
		parse_unexpected(p);
	if (v->derive && v->derive->kind == DERIVE_ASSOC) {
		def->params = v->derive;
		v->derive = v->derive->next;
	}
	parse_expect(p, TOK_ASSIGN);
	def->value = parse_assignment(p);
	parse_end_external(p, TOK_SEMI);
	return def;
}
