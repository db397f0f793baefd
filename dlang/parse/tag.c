/* SPDX-License-Identifier: MIT */
/*
 * Structs, unions and enums as written.
 */
#include "dlang/parse/internal.h"

#include <string.h>

bool parse_tag_kind(enum tok_kind kind, enum ast_tag_kind *tag)
{
	switch (kind) {
	case KW_STRUCT:
		*tag = TAG_STRUCT;
		return true;
	case KW_UNION:
		*tag = TAG_UNION;
		return true;
	case KW_ENUM:
		*tag = TAG_ENUM;
		return true;
	default:
		return false;
	}
}

/* member_declarator: [declarator] [":" conditional]; the checker wants a name */
static struct ast_declarator *member_declarator(struct parser *p)
{
	struct ast_declarator *d = parse_alloc(p, sizeof(*d));

	d->pos = p->tok.pos;
	parse_declarator(p, d);
	if (parse_accept(p, TOK_COLON))
		d->width = parse_conditional(p);
	return d;
}

/* member: specifiers member_declarator { "," member_declarator } ";" */
static struct ast_decl *member(struct parser *p)
{
	struct ast_decl *m = parse_alloc(p, sizeof(*m));
	struct ast_declarator **tail = &m->declarators;

	m->pos = p->tok.pos;
	m->specs = parse_specifiers(p);
	if (m->specs->storage != STORAGE_NONE)
		parse_fail(p, "D_SYNTAX", "a member may not have a storage class");
	do {
		*tail = member_declarator(p);
		tail = &(*tail)->next;
	} while (parse_accept(p, TOK_COMMA));
	parse_expect(p, TOK_SEMI);
	return m;
}

/* members: "{" member { member } "}" */
static void members(struct parser *p, struct ast_tag *t)
{
	struct ast_decl **tail = &t->members;

	do {
		*tail = member(p);
		tail = &(*tail)->next;
	} while (p->tok.kind != TOK_RBRACE && !parse_is_failed(p));
}

/* enumerator: name ["=" conditional] */
static struct ast_enumerator *enumerator(struct parser *p)
{
	struct ast_enumerator *m = parse_alloc(p, sizeof(*m));

	m->pos = p->tok.pos;
	m->name = p->tok.text;
	if (p->tok.kind != TOK_IDENT) {
		parse_unexpected(p);
		return m;
	}
	parse_advance(p);
	if (parse_accept(p, TOK_ASSIGN))
		m->value = parse_conditional(p);
	return m;
}

/* enumerators: "{" enumerator { "," enumerator } [","] "}" */
static void enumerators(struct parser *p, struct ast_tag *t)
{
	struct ast_enumerator **tail = &t->enumerators;

	do {
		*tail = enumerator(p);
		tail = &(*tail)->next;
	} while (parse_accept(p, TOK_COMMA) && p->tok.kind != TOK_RBRACE);
}

/* Reports a body that a tag cannot have: a second one, or one with a scope. */
static void check_body(struct parser *p, const struct ast_tag *t)
{
	static const char *const words[] = {
		[TAG_STRUCT] = "struct", [TAG_UNION] = "union", [TAG_ENUM] = "enum"};

	if (t->name && strchr(t->name, '`'))
		parse_unexpected(p);
	else if (t->name && p->lex.names->is_defined_tag(p->lex.d, t->kind, t->name))
		parse_fail(p, "D_DECL_TYPERED", "type redeclared: %s %s",
			   words[t->kind], t->name);
}

static void body(struct parser *p, struct ast_tag *t)
{
	check_body(p, t);
	t->has_body = true;
	if (!parse_enter(p))
		return;
	parse_advance(p);
	if (t->kind == TAG_ENUM)
		enumerators(p, t);
	else
		members(p, t);
	parse_expect(p, TOK_RBRACE);
	parse_leave(p);
}

/*
 * tag: ("struct" | "union") (name [members] | members)
 *    | "enum" (name [enumerators] | enumerators)
 */
struct ast_tag *parse_tag(struct parser *p, enum ast_tag_kind kind, const char *scope)
{
	struct ast_tag *t = parse_alloc(p, sizeof(*t));

	t->kind = kind;
	t->pos = p->tok.pos;
	parse_advance(p);
	if (p->tok.kind == TOK_IDENT || p->tok.kind == TOK_TYPENAME) {
		t->pos = p->tok.pos;
		lex_tag_rest(&p->lex, &p->tok);
		t->name = p->tok.text;
		if (scope)
			t->name =
				arena_printf(&p->lex.d->arena, "%s%s", scope, t->name);
		parse_advance(p);
	}
	if (p->tok.kind == TOK_LBRACE)
		body(p, t);
	else if (!t->name)
		parse_unexpected(p);
	return t;
}
