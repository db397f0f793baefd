/* SPDX-License-Identifier: MIT */
/*
 * Expressions, by the precedence table of the language.
 */
#include "dlang/parse/internal.h"

#include <string.h>

static struct ast_expr *node(struct parser *p, enum ast_expr_kind kind,
			     struct ast_pos pos)
{
	struct ast_expr *e = parse_alloc(p, sizeof(*e));

	e->kind = kind;
	e->pos = pos;
	e->depth = 1;
	return e;
}

static struct ast_expr *error_node(struct parser *p)
{
	return node(p, EXPR_ERROR, p->tok.pos);
}

static uint32_t deeper(uint32_t depth, const struct ast_expr *child)
{
	return child && child->depth >= depth ? child->depth + 1 : depth;
}

/* Sets the depth of a node whose children are complete, and checks it. */
static struct ast_expr *finish(struct parser *p, struct ast_expr *e)
{
	e->depth = deeper(deeper(deeper(1, e->left), e->right), e->third);
	for (const struct ast_expr *a = e->args; a; a = a->next)
		e->depth = deeper(e->depth, a);
	if (e->depth <= AST_DEPTH_MAX)
		return e;
	parse_fail(p, "D_SYNTAX", "expression is nested too deeply");
	return error_node(p);
}

static struct ast_expr *unary_node(struct parser *p, enum ast_op op, struct ast_pos pos,
				   struct ast_expr *operand)
{
	struct ast_expr *e = node(p, EXPR_UNARY, pos);

	e->op = op;
	e->left = operand;
	return finish(p, e);
}

static struct ast_expr *binary_node(struct parser *p, struct ast_expr *left,
				    const struct ast_expr *op, struct ast_expr *right)
{
	struct ast_expr *e = node(p, op->kind, op->pos);

	e->op = op->op;
	e->left = left;
	e->right = right;
	return finish(p, e);
}

/* ---- primary expressions ---- */

static struct ast_expr *int_node(struct parser *p, const struct tok *t, uint64_t value)
{
	struct ast_expr *e = node(p, EXPR_INT, t->pos);

	e->value = value;
	e->int_unsigned = t->int_unsigned;
	e->int_longs = t->int_longs;
	e->int_decimal = t->int_decimal;
	return e;
}

/*
 * A macro argument may be a negative number. The least integer has no positive
 * counterpart and becomes -MAX - 1.
 */
static struct ast_expr *integer(struct parser *p)
{
	struct tok t = p->tok;
	struct ast_expr *e;
	bool is_least = t.negative && t.int_decimal && !t.int_unsigned &&
			t.value == (uint64_t)INT64_MAX + 1;

	parse_advance(p);
	if (!t.negative)
		return int_node(p, &t, t.value);
	e = int_node(p, &t, is_least ? INT64_MAX : t.value);
	e = unary_node(p, AST_OP_NEG, t.pos, e);
	if (is_least) {
		struct ast_expr sub = {
			.kind = EXPR_BINARY, .op = AST_OP_SUB, .pos = t.pos};

		e = binary_node(p, e, &sub, int_node(p, &t, 1));
	}
	e->is_paren = true;
	return e;
}

static struct ast_expr *text_node(struct parser *p, enum ast_expr_kind kind)
{
	struct ast_expr *e = node(p, kind, p->tok.pos);

	e->text = p->tok.text;
	e->len = p->tok.len;
	parse_advance(p);
	return e;
}

/* arguments: [assignment { "," assignment }]; stops at close */
static void arguments(struct parser *p, struct ast_expr *e, enum tok_kind close)
{
	struct ast_expr **tail = &e->args;

	if (p->tok.kind == close)
		return;
	do {
		*tail = parse_assignment(p);
		tail = &(*tail)->next;
		e->nargs++;
	} while (parse_accept(p, TOK_COMMA));
}

/* subscripts: "[" arguments "]", at least one */
static void subscripts(struct parser *p, struct ast_expr *e)
{
	parse_advance(p);
	if (p->tok.kind == TOK_RBRACKET)
		parse_unexpected(p);
	arguments(p, e, TOK_RBRACKET);
	parse_expect(p, TOK_RBRACKET);
}

/* aggregation: "@" [name] [subscripts] */
static struct ast_expr *aggregation(struct parser *p)
{
	struct ast_expr *e = text_node(p, EXPR_AGG);

	if (p->tok.kind == TOK_LBRACKET) {
		e->has_brackets = true;
		subscripts(p, e);
	}
	return finish(p, e);
}

/* A name after . or -> may also be a type name or one of some keywords. */
static bool member_name(struct parser *p, enum ast_op op, struct ast_expr *e)
{
	bool is_name = p->tok.kind == TOK_IDENT || p->tok.kind == TOK_TYPENAME ||
		       tok_word_flags(p->tok.kind) & WORD_MEMBER;

	if (!is_name) {
		parse_fail(p, "D_OP_IDENT",
			   "operator %s must be followed by an identifier",
			   ast_op_text(op));
		return false;
	}
	e->text = p->tok.text;
	e->len = p->tok.len;
	parse_advance(p);
	return true;
}

/* scoped_variable: ("self" | "this") "->" name */
static struct ast_expr *scoped_variable(struct parser *p)
{
	struct ast_expr *e = node(p, EXPR_VAR, p->tok.pos);

	e->scope = p->tok.kind == KW_SELF ? AST_SELF : AST_THIS;
	parse_advance(p);
	if (!parse_expect(p, TOK_ARROW) || !member_name(p, AST_OP_ARROW, e))
		return error_node(p);
	return e;
}

/* expression ")"; the "(" is consumed */
static struct ast_expr *parenthesised(struct parser *p)
{
	struct ast_expr *e = parse_expression(p);

	parse_expect(p, TOK_RPAREN);
	e->is_paren = true;
	return e;
}

/* offset_of: "offsetof" "(" type_name "," name ")" */
static struct ast_expr *offset_of(struct parser *p)
{
	struct ast_expr *e = node(p, EXPR_OFFSETOF, p->tok.pos);

	parse_advance(p);
	if (!parse_expect(p, TOK_LPAREN))
		return error_node(p);
	parse_at_type(p);
	e->tname = parse_type_name(p);
	if (!parse_expect(p, TOK_COMMA) || !member_name(p, AST_OP_OFFSETOF, e))
		return error_node(p);
	parse_expect(p, TOK_RPAREN);
	return e;
}

/* xlate: "xlate" "<" type_name ">" "(" expression ")" */
static struct ast_expr *xlation(struct parser *p)
{
	struct ast_expr *e = node(p, EXPR_XLATE, p->tok.pos);

	parse_advance(p);
	parse_expect(p, TOK_LT);
	e->tname = parse_type_name(p);
	parse_expect(p, TOK_GT);
	parse_expect(p, TOK_LPAREN);
	e->left = parse_expression(p);
	parse_expect(p, TOK_RPAREN);
	return finish(p, e);
}

/*
 * primary: integer | string | name | aggregation | scoped_variable
 *        | "(" expression ")" | offset_of | xlate
 */
static struct ast_expr *primary(struct parser *p)
{
	switch (p->tok.kind) {
	case TOK_INT:
		return integer(p);
	case TOK_STRING:
		return text_node(p, EXPR_STRING);
	case TOK_IDENT:
		if (strcmp(p->tok.text, "args") == 0 ||
		    strcmp(p->tok.text, "locals") == 0)
			p->has_args = true;
		return text_node(p, EXPR_VAR);
	case TOK_AGG:
		return aggregation(p);
	case KW_SELF:
	case KW_THIS:
		return scoped_variable(p);
	case TOK_LPAREN:
		parse_advance(p);
		return parenthesised(p);
	case KW_OFFSETOF:
		return offset_of(p);
	case KW_XLATE:
		return xlation(p);
	default:
		parse_unexpected(p);
	}
	return error_node(p);
}

/* ---- postfix and unary operators ---- */

static struct ast_expr *member(struct parser *p, struct ast_expr *left)
{
	struct ast_expr *e = node(p, EXPR_MEMBER, p->tok.pos);

	e->op = p->tok.kind == TOK_DOT ? AST_OP_DOT : AST_OP_ARROW;
	e->left = left;
	parse_advance(p);
	/* locals.this, of C++ */
	if (p->tok.kind == KW_THIS && left->kind == EXPR_VAR &&
	    left->scope == AST_GLOBAL && strcmp(left->text, "locals") == 0)
		p->tok.kind = TOK_IDENT;
	return member_name(p, e->op, e) ? finish(p, e) : error_node(p);
}

static struct ast_expr *call(struct parser *p, struct ast_expr *left)
{
	struct ast_expr *e = node(p, EXPR_CALL, left->pos);

	if (left->kind != EXPR_ERROR &&
	    (left->kind != EXPR_VAR || left->scope != AST_GLOBAL))
		parse_fail(p, "D_FUNC_IDENT",
			   "function designator is not of function type");
	e->left = left;
	parse_advance(p);
	arguments(p, e, TOK_RPAREN);
	parse_expect(p, TOK_RPAREN);
	return finish(p, e);
}

static struct ast_expr *element(struct parser *p, struct ast_expr *left)
{
	struct ast_expr *e = node(p, EXPR_INDEX, p->tok.pos);

	e->left = left;
	subscripts(p, e);
	return finish(p, e);
}

static struct ast_expr *step(struct parser *p, struct ast_expr *left)
{
	struct ast_expr *e = node(p, EXPR_POSTFIX, p->tok.pos);

	e->op = p->tok.kind == TOK_INC ? AST_OP_POSTINC : AST_OP_POSTDEC;
	e->left = left;
	parse_advance(p);
	return finish(p, e);
}

/*
 * postfix: primary { subscripts | "(" arguments ")" | "." name | "->" name
 *                  | "++" | "--" }
 */
static struct ast_expr *postfix(struct parser *p, struct ast_expr *e)
{
	for (;;) {
		switch (p->tok.kind) {
		case TOK_LBRACKET:
			e = element(p, e);
			break;
		case TOK_LPAREN:
			e = call(p, e);
			break;
		case TOK_DOT:
		case TOK_ARROW:
			e = member(p, e);
			break;
		case TOK_INC:
		case TOK_DEC:
			e = step(p, e);
			break;
		default:
			return e;
		}
	}
}

static struct ast_expr *unary(struct parser *p);

/* sizeof: "sizeof" unary | "sizeof" "(" type_name ")" */
static struct ast_expr *size_of(struct parser *p)
{
	struct ast_pos pos = p->tok.pos;
	struct ast_expr *e;

	parse_advance(p);
	if (p->tok.kind != TOK_LPAREN)
		return unary_node(p, AST_OP_SIZEOF, pos, unary(p));
	parse_advance(p);
	if (!parse_at_type(p))
		return unary_node(p, AST_OP_SIZEOF, pos, postfix(p, parenthesised(p)));
	e = node(p, EXPR_SIZEOF, pos);
	e->tname = parse_type_name(p);
	parse_expect(p, TOK_RPAREN);
	return e;
}

/* "(libc`name *)" can only be a cast, even if there is no such type. */
static bool at_scoped_pointer(struct parser *p)
{
	const char *s = p->lex.p;
	size_t n = strspn(s, "* \t\r\n");

	if (p->tok.kind != TOK_IDENT || !strchr(p->tok.text, '`') || s[n] != ')' ||
	    !memchr(s, '*', n))
		return false;
	p->tok.kind = TOK_TYPENAME;
	return true;
}

/* cast: "(" type_name ")" unary; or else a postfix expression that begins with "(" */
static struct ast_expr *cast(struct parser *p)
{
	struct ast_pos pos = p->tok.pos;
	struct ast_expr *e;

	parse_advance(p);
	if (!parse_at_type(p) && !at_scoped_pointer(p))
		return postfix(p, parenthesised(p));
	e = node(p, EXPR_CAST, pos);
	e->tname = parse_type_name(p);
	parse_expect(p, TOK_RPAREN);
	e->left = unary(p);
	return finish(p, e);
}

static enum ast_op prefix_op(enum tok_kind kind)
{
	switch (kind) {
	case TOK_NOT:
		return AST_OP_NOT;
	case TOK_BNOT:
		return AST_OP_BNOT;
	case TOK_ADD:
		return AST_OP_PLUS;
	case TOK_SUB:
		return AST_OP_NEG;
	case TOK_MUL:
		return AST_OP_DEREF;
	case TOK_BAND:
		return AST_OP_ADDR;
	case TOK_INC:
		return AST_OP_PREINC;
	case TOK_DEC:
		return AST_OP_PREDEC;
	case KW_STRINGOF:
		return AST_OP_STRINGOF;
	default:
		return AST_OP_NONE;
	}
}

/*
 * unary: postfix | sizeof | cast | unary_op unary
 * unary_op: "++" "--" "!" "~" "+" "-" "*" "&" "stringof"
 */
static struct ast_expr *unary(struct parser *p)
{
	enum ast_op op = prefix_op(p->tok.kind);
	struct ast_pos pos = p->tok.pos;
	struct ast_expr *e;

	if (!parse_enter(p)) {
		e = error_node(p);
	} else if (op != AST_OP_NONE) {
		parse_advance(p);
		e = unary_node(p, op, pos, unary(p));
	} else if (p->tok.kind == KW_SIZEOF) {
		e = size_of(p);
	} else if (p->tok.kind == TOK_LPAREN) {
		e = cast(p);
	} else {
		e = postfix(p, primary(p));
	}
	parse_leave(p);
	return e;
}

/* ---- binary operators ---- */

static const struct binary {
	enum tok_kind tok;
	enum ast_op op;
	int level; /* higher binds tighter */
} binaries[] = {
	{TOK_MUL, AST_OP_MUL, 11},  {TOK_DIV, AST_OP_DIV, 11},
	{TOK_MOD, AST_OP_MOD, 11},  {TOK_ADD, AST_OP_ADD, 10},
	{TOK_SUB, AST_OP_SUB, 10},  {TOK_SHL, AST_OP_SHL, 9},
	{TOK_SHR, AST_OP_SHR, 9},   {TOK_LT, AST_OP_LT, 8},
	{TOK_LE, AST_OP_LE, 8},	    {TOK_GT, AST_OP_GT, 8},
	{TOK_GE, AST_OP_GE, 8},	    {TOK_EQ, AST_OP_EQ, 7},
	{TOK_NE, AST_OP_NE, 7},	    {TOK_BAND, AST_OP_BAND, 6},
	{TOK_BXOR, AST_OP_BXOR, 5}, {TOK_BOR, AST_OP_BOR, 4},
	{TOK_LAND, AST_OP_LAND, 3}, {TOK_LXOR, AST_OP_LXOR, 2},
	{TOK_LOR, AST_OP_LOR, 1},
};

static const struct binary *binary_op(enum tok_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(binaries); i++)
		if (binaries[i].tok == kind)
			return &binaries[i];
	return NULL;
}

/* binary(n): binary(n + 1) { op(n) binary(n + 1) }; above the last level: unary */
static struct ast_expr *binary(struct parser *p, int level)
{
	struct ast_expr *e = unary(p);
	const struct binary *b;

	while ((b = binary_op(p->tok.kind)) && b->level >= level) {
		struct ast_expr op = {
			.kind = EXPR_BINARY, .op = b->op, .pos = p->tok.pos};

		parse_advance(p);
		e = binary_node(p, e, &op, binary(p, b->level + 1));
	}
	return e;
}

/* conditional: binary [ "?" expression ":" conditional ] */
struct ast_expr *parse_conditional(struct parser *p)
{
	struct ast_expr *e = binary(p, 1), *c;

	if (p->tok.kind != TOK_COND)
		return e;
	if (!parse_enter(p)) {
		parse_leave(p);
		return error_node(p);
	}
	c = node(p, EXPR_COND, p->tok.pos);
	c->op = AST_OP_COND;
	c->left = e;
	parse_advance(p);
	c->right = parse_expression(p);
	parse_expect(p, TOK_COLON);
	c->third = parse_conditional(p);
	parse_leave(p);
	return finish(p, c);
}

static enum ast_op assign_op(enum tok_kind kind)
{
	switch (kind) {
	case TOK_ASSIGN:
		return AST_OP_ASSIGN;
	case TOK_MUL_ASSIGN:
		return AST_OP_ASSIGN_MUL;
	case TOK_DIV_ASSIGN:
		return AST_OP_ASSIGN_DIV;
	case TOK_MOD_ASSIGN:
		return AST_OP_ASSIGN_MOD;
	case TOK_ADD_ASSIGN:
		return AST_OP_ASSIGN_ADD;
	case TOK_SUB_ASSIGN:
		return AST_OP_ASSIGN_SUB;
	case TOK_SHL_ASSIGN:
		return AST_OP_ASSIGN_SHL;
	case TOK_SHR_ASSIGN:
		return AST_OP_ASSIGN_SHR;
	case TOK_BAND_ASSIGN:
		return AST_OP_ASSIGN_BAND;
	case TOK_BXOR_ASSIGN:
		return AST_OP_ASSIGN_BXOR;
	case TOK_BOR_ASSIGN:
		return AST_OP_ASSIGN_BOR;
	default:
		return AST_OP_NONE;
	}
}

static bool is_unary(const struct ast_expr *e)
{
	return e->is_paren || (e->kind != EXPR_BINARY && e->kind != EXPR_COND);
}

/* assignment: conditional | unary assign_op assignment */
struct ast_expr *parse_assignment(struct parser *p)
{
	struct ast_expr *e, op = {.kind = EXPR_ASSIGN};

	if (!parse_enter(p)) {
		parse_leave(p);
		return error_node(p);
	}
	e = parse_conditional(p);
	op.op = assign_op(p->tok.kind);
	op.pos = p->tok.pos;
	if (op.op != AST_OP_NONE && !is_unary(e)) {
		parse_unexpected(p);
	} else if (op.op != AST_OP_NONE) {
		parse_advance(p);
		e = binary_node(p, e, &op, parse_assignment(p));
	}
	parse_leave(p);
	return e;
}

/* expression: assignment { "," assignment } */
struct ast_expr *parse_expression(struct parser *p)
{
	struct ast_expr *e = parse_assignment(p);

	while (p->tok.kind == TOK_COMMA) {
		struct ast_expr op = {
			.kind = EXPR_COMMA, .op = AST_OP_COMMA, .pos = p->tok.pos};

		parse_advance(p);
		e = binary_node(p, e, &op, parse_assignment(p));
	}
	return e;
}
