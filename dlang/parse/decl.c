/* SPDX-License-Identifier: MIT */
/*
 * Declarations and types.
 */
#include "dlang/parse/internal.h"

#include <string.h>

#define SPEC_INTEGER                                                                   \
	(SPEC_SHORT | SPEC_LONG | SPEC_LONGLONG | SPEC_SIGNED | SPEC_UNSIGNED)

/* Where a type may begin, a name that is a type of the traced program is one. */
bool parse_at_type(struct parser *p)
{
	if (p->tok.kind == TOK_IDENT &&
	    p->lex.names->is_target_type(p->lex.d, p->tok.text))
		p->tok.kind = TOK_TYPENAME;
	return p->tok.kind == TOK_TYPENAME || tok_word_flags(p->tok.kind) & WORD_TYPE;
}

/* ---- specifiers ---- */

static enum ast_storage storage_word(enum tok_kind kind)
{
	switch (kind) {
	case KW_SELF:
		return STORAGE_SELF;
	case KW_THIS:
		return STORAGE_THIS;
	case KW_EXTERN:
		return STORAGE_EXTERN;
	case KW_TYPEDEF:
		return STORAGE_TYPEDEF;
	case KW_AUTO:
		return STORAGE_AUTO;
	case KW_REGISTER:
		return STORAGE_REGISTER;
	case KW_STATIC:
		return STORAGE_STATIC;
	default:
		return STORAGE_NONE;
	}
}

static enum ast_base base_word(enum tok_kind kind)
{
	switch (kind) {
	case KW_VOID:
		return BASE_VOID;
	case KW_CHAR:
		return BASE_CHAR;
	case KW_INT:
		return BASE_INT;
	case KW_FLOAT:
		return BASE_FLOAT;
	case KW_DOUBLE:
		return BASE_DOUBLE;
	case KW_STRING:
		return BASE_STRING;
	case TOK_TYPENAME:
		return BASE_NAME;
	default:
		return BASE_NONE;
	}
}

static uint32_t qualifier_word(enum tok_kind kind)
{
	switch (kind) {
	case KW_CONST:
		return SPEC_CONST;
	case KW_VOLATILE:
		return SPEC_VOLATILE;
	case KW_RESTRICT:
		return SPEC_RESTRICT;
	case KW_USERLAND:
		return SPEC_USERLAND;
	default:
		return 0;
	}
}

static uint32_t integer_word(enum tok_kind kind)
{
	switch (kind) {
	case KW_SHORT:
		return SPEC_SHORT;
	case KW_LONG:
		return SPEC_LONG;
	case KW_SIGNED:
		return SPEC_SIGNED;
	case KW_UNSIGNED:
		return SPEC_UNSIGNED;
	default:
		return 0;
	}
}

static void bad_combination(struct parser *p)
{
	parse_fail(p, "D_DECL_COMBO", "invalid type combination");
}

static void add_integer_word(struct parser *p, struct ast_specs *s, uint32_t flag)
{
	if (flag == SPEC_LONG && s->flags & SPEC_LONG)
		s->flags = (s->flags & ~(uint32_t)SPEC_LONG) | SPEC_LONGLONG;
	else if (s->flags & flag || (flag == SPEC_LONG && s->flags & SPEC_LONGLONG))
		bad_combination(p);
	else
		s->flags |= flag;
}

static void add_storage(struct parser *p, struct ast_specs *s, enum ast_storage storage)
{
	if (s->storage != STORAGE_NONE)
		parse_fail(p, "D_DECL_CLASS",
			   "only one storage class allowed in a declaration");
	s->storage = storage;
}

static void add_base(struct parser *p, struct ast_specs *s, enum ast_base base)
{
	if (s->base != BASE_NONE)
		bad_combination(p);
	s->base = base;
	if (base == BASE_NAME)
		s->name = p->tok.text;
}

/* A type name after a complete type is the name being declared. */
static bool is_declared_name(const struct parser *p, const struct ast_specs *s)
{
	return p->tok.kind == TOK_TYPENAME &&
	       (s->base != BASE_NONE || s->flags & SPEC_INTEGER);
}

/* "mod`struct" before a tag: the scope with its backquote; else NULL. */
static const char *scope_of_tag(struct parser *p, enum ast_tag_kind *kind)
{
	static const char *const words[] = {
		[TAG_STRUCT] = "struct", [TAG_UNION] = "union", [TAG_ENUM] = "enum"};
	const char *last = strrchr(p->tok.text, '`');

	for (size_t i = 0; last && i < ARRAY_LEN(words); i++) {
		if (strcmp(last + 1, words[i]) != 0)
			continue;
		*kind = (enum ast_tag_kind)i;
		return arena_strndup(&p->lex.d->arena, p->tok.text,
				     (size_t)(last + 1 - p->tok.text));
	}
	return NULL;
}

/* "struct x {...}": parses all of it. False: the look-ahead begins no tag. */
static bool add_tag(struct parser *p, struct ast_specs *s)
{
	enum ast_tag_kind kind;
	const char *scope = NULL;

	if (p->tok.kind == TOK_TYPENAME)
		scope = scope_of_tag(p, &kind);
	if (!scope && !parse_tag_kind(p->tok.kind, &kind))
		return false;
	add_base(p, s, BASE_TAGGED);
	if (!parse_is_failed(p))
		s->tag = parse_tag(p, kind, scope);
	return true;
}

/*
 * "self time;" declares an int, also where the traced program has a type of that name. A
 * type of the D program stays a type.
 */
static bool is_implicit_int(const struct parser *p, const struct ast_specs *s)
{
	const char *next = p->lex.p + strspn(p->lex.p, " \t\r\n");

	return s->storage != STORAGE_NONE && p->tok.kind == TOK_IDENT && *next &&
	       strchr(";,[", *next);
}

static bool add_word(struct parser *p, struct ast_specs *s)
{
	enum tok_kind kind;

	if (is_implicit_int(p, s))
		return false;
	if (s->base == BASE_NONE && !(s->flags & SPEC_INTEGER))
		parse_at_type(p);
	kind = p->tok.kind;
	if (is_declared_name(p, s))
		return false;
	if (add_tag(p, s))
		return !parse_is_failed(p);
	if (storage_word(kind) != STORAGE_NONE)
		add_storage(p, s, storage_word(kind));
	else if (base_word(kind) != BASE_NONE)
		add_base(p, s, base_word(kind));
	else if (qualifier_word(kind))
		s->flags |= qualifier_word(kind);
	else if (integer_word(kind))
		add_integer_word(p, s, integer_word(kind));
	else
		return false;
	parse_advance(p);
	return !parse_is_failed(p);
}

/*
 * specifiers: { storage | "void" | "char" | "int" | ... | "string" | type name
 *             | "const" | "volatile" | "restrict" | "userland"
 *             | tag }, at least one
 * Without a type it is int. A name that is no type ends them: it is being declared.
 */
struct ast_specs *parse_specifiers(struct parser *p)
{
	struct ast_specs *s = parse_alloc(p, sizeof(*s));

	s->pos = p->tok.pos;
	while (add_word(p, s))
		;
	if (s->base == BASE_NONE && s->storage == STORAGE_NONE && !s->flags)
		parse_unexpected(p);
	s->is_bad = parse_is_failed(p);
	return s;
}

/* ---- declarators ---- */

static struct ast_derive *derive(struct parser *p, enum ast_derive_kind kind)
{
	struct ast_derive *v = parse_alloc(p, sizeof(*v));

	v->kind = kind;
	v->pos = p->tok.pos;
	return v;
}

/* One more derivation at the look-ahead; false: too many, which is reported. */
static bool count_derive(struct parser *p, struct ast_declarator *d)
{
	if (++d->nderive <= PARSE_DERIVE_MAX)
		return true;
	parse_fail(p, "D_SYNTAX", "nested too deeply");
	return false;
}

static void append(struct ast_declarator *d, struct ast_derive *v)
{
	struct ast_derive **tail = &d->derive;

	while (*tail)
		tail = &(*tail)->next;
	*tail = v;
}

/* parameter: specifiers [declarator] */
static struct ast_typename *parameter(struct parser *p)
{
	struct ast_typename *t = parse_alloc(p, sizeof(*t));

	t->pos = p->tok.pos;
	t->specs = parse_specifiers(p);
	t->declarator = parse_alloc(p, sizeof(*t->declarator));
	t->declarator->pos = p->tok.pos;
	if (t->specs->storage != STORAGE_NONE)
		parse_fail(p, "D_DECL_PARMCLASS",
			   "inappropriate storage class for function or associative "
			   "array parameter");
	parse_declarator(p, t->declarator);
	return t;
}

/* parameters: [parameter { "," parameter } [ "," "..." ] | "..."] */
static void parameters(struct parser *p, struct ast_derive *v)
{
	struct ast_typename **tail = &v->params;

	if (p->tok.kind == TOK_RPAREN)
		return;
	do {
		if (parse_accept(p, TOK_ELLIPSIS)) {
			v->varargs = true;
			return;
		}
		*tail = parameter(p);
		tail = &(*tail)->next;
		v->nparams++;
	} while (parse_accept(p, TOK_COMMA));
}

/* parameters ")"; the "(" is consumed */
struct ast_derive *parse_parameters(struct parser *p)
{
	struct ast_derive *v = derive(p, DERIVE_FUNC);

	parameters(p, v);
	parse_expect(p, TOK_RPAREN);
	return v;
}

static void function_suffix(struct parser *p, struct ast_declarator *d)
{
	append(d, parse_parameters(p));
}

/* array_suffix: "[" "]" | "[" conditional "]" | "[" parameters "]" */
static void array_suffix(struct parser *p, struct ast_declarator *d)
{
	struct ast_derive *v = derive(p, DERIVE_ARRAY);

	v->name = d->name;
	parse_advance(p);
	if (parse_at_type(p) || p->tok.kind == TOK_ELLIPSIS ||
	    storage_word(p->tok.kind) != STORAGE_NONE) {
		v->kind = DERIVE_ASSOC;
		parameters(p, v);
	} else if (p->tok.kind != TOK_RBRACKET) {
		v->size = parse_conditional(p);
	}
	parse_expect(p, TOK_RBRACKET);
	append(d, v);
}

static void declared_name(struct parser *p, struct ast_declarator *d)
{
	d->pos = p->tok.pos;
	d->name = p->tok.text;
	if (strchr(d->name, '`'))
		parse_fail(p, "D_DECL_SCOPE",
			   "D scoping operator may not be used in a declaration name "
			   "(%s)",
			   d->name);
	parse_advance(p);
}

/*
 * direct: [name | "(" declarator ")"] { array_suffix | "(" parameters ")" }
 * Without a name, "(" begins a parameter list if a type or ")" follows.
 */
static void direct(struct parser *p, struct ast_declarator *d)
{
	if (p->tok.kind == TOK_IDENT || p->tok.kind == TOK_TYPENAME) {
		declared_name(p, d);
	} else if (parse_accept(p, TOK_LPAREN)) {
		if (parse_at_type(p) || p->tok.kind == TOK_RPAREN) {
			function_suffix(p, d);
		} else {
			parse_declarator(p, d);
			parse_expect(p, TOK_RPAREN);
		}
	}
	while (p->tok.kind == TOK_LBRACKET || p->tok.kind == TOK_LPAREN) {
		if (!count_derive(p, d))
			return;
		if (parse_accept(p, TOK_LPAREN))
			function_suffix(p, d);
		else
			array_suffix(p, d);
	}
}

/* pointer: "*" { qualifier }; a later one is nearer to the name */
static struct ast_derive *pointers(struct parser *p, struct ast_declarator *d)
{
	struct ast_derive *list = NULL;

	while (p->tok.kind == TOK_MUL && count_derive(p, d)) {
		struct ast_derive *v = derive(p, DERIVE_POINTER);

		parse_advance(p);
		while (qualifier_word(p->tok.kind)) {
			v->qualifiers |= qualifier_word(p->tok.kind);
			parse_advance(p);
		}
		v->next = list;
		list = v;
	}
	return list;
}

/* declarator: { pointer } direct */
void parse_declarator(struct parser *p, struct ast_declarator *d)
{
	struct ast_derive *list;

	if (parse_enter(p)) {
		list = pointers(p, d);
		direct(p, d);
		append(d, list);
	}
	parse_leave(p);
	d->is_bad = parse_is_failed(p);
}

/* named_type: specifiers declarator; the caller checks the storage class */
struct ast_typename *parse_named_type(struct parser *p)
{
	struct ast_typename *t = parse_alloc(p, sizeof(*t));

	t->pos = p->tok.pos;
	t->specs = parse_specifiers(p);
	t->declarator = parse_alloc(p, sizeof(*t->declarator));
	t->declarator->pos = p->tok.pos;
	parse_declarator(p, t->declarator);
	return t;
}

/* type_name: specifiers abstract_declarator */
struct ast_typename *parse_type_name(struct parser *p)
{
	struct ast_typename *t = parameter(p);

	if (t->declarator->name)
		parse_fail(p, "D_SYNTAX", "syntax error near \"%s\"",
			   t->declarator->name);
	return t;
}

/* ---- declarations ---- */

static struct ast_declarator *named_declarator(struct parser *p)
{
	struct ast_declarator *d = parse_alloc(p, sizeof(*d));

	d->pos = p->tok.pos;
	parse_declarator(p, d);
	if (!d->name)
		parse_unexpected(p);
	return d;
}

/* From now on the name is a type. */
static void note_typedef(struct parser *p, const struct ast_specs *s,
			 const struct ast_declarator *d)
{
	if (s->storage == STORAGE_TYPEDEF && d->name)
		lex_add_typename(p->lex.d, d->name);
}

/* declaration: specifiers [declarator { "," declarator }] ";" */
struct ast_decl *parse_declaration(struct parser *p)
{
	struct ast_decl *decl = parse_alloc(p, sizeof(*decl));
	struct ast_declarator **tail = &decl->declarators;

	decl->pos = p->tok.pos;
	p->lex.mode = LEX_BODY;
	decl->specs = parse_specifiers(p);
	if (p->tok.kind != TOK_SEMI) {
		do {
			*tail = named_declarator(p);
			note_typedef(p, decl->specs, *tail);
			tail = &(*tail)->next;
		} while (parse_accept(p, TOK_COMMA));
	}
	parse_end_external(p, TOK_SEMI);
	return decl;
}
