/* SPDX-License-Identifier: MIT */
/*
 * Members and addresses: . and ->, unary &, sizeof, offsetof, symbols of the
 * traced program.
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/check/typename.h"
#include "dlang/typesrc.h"
#include "dlang/check/xlate.h"

bool expr_is_userland(const struct ast_expr *e)
{
	if (type_resolve(e->type)->kind == TYPE_ARRAY)
		return e->flags & EX_USER;
	return type_is_userland(e->type);
}

const struct type *expr_value_type(struct dlang *d, const struct ast_expr *e)
{
	const struct type *t = type_decay(d, e->type);

	return expr_is_userland(e) ? type_userland(types_of(d), t) : t;
}

void set_lvalue(struct dlang *d, struct ast_expr *e, const struct type *t,
		uint32_t flags)
{
	e->type = flags & EX_USER ? type_userland(types_of(d), t) : t;
	e->flags |= flags;
}

int check_complete(struct dlang *d, const struct ast_expr *e, const struct type *t)
{
	if (!type_is_struct_or_union(t) || type_complete(types_of(d), t))
		return 0;
	return diag(d, &e->pos, "D_OP_INCOMPLETE",
		    "operator %s cannot be applied to a forward declaration: no %s "
		    "definition is available",
		    e->kind == EXPR_INDEX ? "[]" : ast_op_text(e->op),
		    type_resolve(t)->name);
}

/* ---- . and -> ---- */

/* The struct or union that the operator applies to; NULL: an error is reported. */
static const struct type *container(struct dlang *d, const struct ast_expr *e)
{
	const char *op = ast_op_text(e->op);
	const struct type *t = e->left->type;
	bool is_arrow = e->op == AST_OP_ARROW;

	if (is_arrow) {
		t = type_pointee(types_of(d), t);
		if (!t) {
			diag(d, &e->pos, "D_OP_PTR",
			     "operator %s must be applied to a pointer", op);
			return NULL;
		}
	}
	if (!type_is_struct_or_union(t)) {
		diag(d, &e->pos, "D_OP_SOU",
		     "operator %s cannot be applied to %stype \"%s\"; must be applied "
		     "to a struct or union%s",
		     op, is_arrow ? "pointer to " : "",
		     e->left->kind == EXPR_AGG ? "aggregation" : t->name,
		     is_arrow ? " pointer" : "");
		return NULL;
	}
	return check_complete(d, e, t) ? NULL : t;
}

uint32_t pointee_flags(const struct ast_expr *pointer)
{
	if (type_resolve(pointer->type)->kind == TYPE_ARRAY &&
	    pointer->flags & EX_LVALUE)
		return pointer->flags & (EX_LVALUE | EX_WRITABLE | EX_USER);
	if (expr_is_userland(pointer))
		return EX_LVALUE | EX_USER;
	/* Bytes of strings: of variables, not of values. */
	if (type_is_string(pointer->type))
		return EX_LVALUE | (pointer->flags & EX_WRITABLE);
	return EX_LVALUE | EX_WRITABLE;
}

int check_member(struct dlang *d, struct ast_expr *e)
{
	struct type_member *m = arena_alloc(&d->arena, sizeof(*m));
	const struct type *t;

	if (is_local(d, e))
		return check_local(d, e);
	if (e->op == AST_OP_DOT && is_local(d, e->left) && check_local_member(d, e))
		return STATUS_SYNTAX;
	if (e->op == AST_OP_DOT && e->kind == EXPR_MEMBER && check_args_member(d, e))
		return STATUS_SYNTAX;
	if (e->kind != EXPR_MEMBER)
		return 0;
	if (check_expr(d, e->left))
		return STATUS_SYNTAX;
	if (e->left->kind == EXPR_XLATE)
		return xlate_member(d, e);
	t = container(d, e);
	if (!t)
		return STATUS_SYNTAX;
	if (!type_member(types_of(d), t, e->text, m))
		return diag(d, &e->pos, "D_TYPE_MEMBER", "%s is not a member of %s",
			    e->text, t->name);
	e->extra = m;
	if (e->op == AST_OP_ARROW)
		set_lvalue(d, e, m->type, pointee_flags(e->left));
	else
		set_lvalue(d, e, m->type,
			   e->left->flags & (EX_LVALUE | EX_WRITABLE | EX_USER));
	return 0;
}

static bool is_bit_field(const struct ast_expr *e)
{
	const struct type_member *m = e->kind == EXPR_MEMBER ? e->extra : NULL;

	return m && m->nbits;
}

/* ---- unary & ---- */

/* The variable, or element of an array, that e is a sub-object of; or e itself. */
static const struct ast_expr *root_of(const struct ast_expr *e)
{
	for (;;) {
		bool is_part = e->kind == EXPR_MEMBER && e->op == AST_OP_DOT;
		bool is_item = (e->kind == EXPR_INDEX && !e->ident) ||
			       (e->kind == EXPR_UNARY && e->op == AST_OP_DEREF) ||
			       (e->kind == EXPR_MEMBER && e->op == AST_OP_ARROW);

		if (is_item)
			is_part = type_resolve(e->left->type)->kind == TYPE_ARRAY;
		if (!is_part)
			return e;
		e = e->left;
	}
}

/*
 * Whether the lvalue has no address: a variable or element that is no array, anything
 * in an associative array, an aggregation.
 */
static bool is_unaddressable(const struct ast_expr *e)
{
	const struct ast_expr *root = root_of(e);

	if (root->kind == EXPR_AGG)
		return true;
	if (!root->ident || root->kind == EXPR_CALL || expr_is_const(root))
		return false;
	if (root->kind != EXPR_VAR || root->ident->kind != IDENT_SCALAR)
		return true;
	return root == e && type_resolve(e->type)->kind != TYPE_ARRAY;
}

int check_addr(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *l = e->left;
	const struct type *t;

	if (is_unaddressable(l))
		return diag(d, &e->pos, "D_ADDROF_VAR",
			    "cannot take address of dynamic variable");
	if (!(l->flags & EX_LVALUE))
		return diag(d, &e->pos, "D_ADDROF_LVAL",
			    "unacceptable operand for unary & operator");
	if (is_bit_field(l))
		return diag(d, &e->pos, "D_ADDROF_BITFIELD",
			    "cannot take address of a bit-field: %s", l->text);
	t = type_pointer(types_of(d), l->type);
	e->type = l->flags & EX_USER ? type_userland(types_of(d), t) : t;
	return 0;
}

/* ---- sizeof and offsetof ---- */

static int set_sizeof(struct dlang *d, struct ast_expr *e, const struct type *t)
{
	uint64_t size = type_size(types_of(d), t);

	if (size == 0)
		return diag(d, &e->pos, "D_SIZEOF_TYPE",
			    "cannot apply sizeof to an operand of unknown size");
	expr_make_int(e, size, types_of(d)->t_size);
	return 0;
}

int check_sizeof(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *l = e->left;

	if (is_bit_field(l))
		return diag(d, &e->pos, "D_SIZEOF_BITFIELD",
			    "cannot apply sizeof to a bit-field: %s", l->text);
	if (l->kind != EXPR_STRING)
		return set_sizeof(d, e, l->type);
	expr_make_int(e, l->len + 1, types_of(d)->t_size);
	return 0;
}

int check_sizeof_type(struct dlang *d, struct ast_expr *e)
{
	const struct type *t = check_typename(d, e->tname);

	return t ? set_sizeof(d, e, t) : STATUS_SYNTAX;
}

int check_offsetof(struct dlang *d, struct ast_expr *e)
{
	const struct type *t = check_typename(d, e->tname);
	struct type_member m;

	if (!t)
		return STATUS_SYNTAX;
	if (!type_is_struct_or_union(t) || !type_complete(types_of(d), t))
		return diag(d, &e->pos, "D_OFFSETOF_TYPE",
			    "offsetof operand must be a struct or union type");
	if (!type_member(types_of(d), t, e->text, &m))
		return diag(d, &e->pos, "D_UNKNOWN",
			    "failed to determine offset of %s: Member name not found",
			    e->text);
	if (m.nbits)
		return diag(d, &e->pos, "D_OFFSETOF_BITFIELD",
			    "cannot take offset of a bit-field: %s", e->text);
	expr_make_int(e, m.offset, types_of(d)->t_size);
	return 0;
}

/* ---- symbols ---- */

static int no_types(struct dlang *d, const struct ast_expr *e, const char *why)
{
	return diag(d, &e->pos, "D_SYM_NOTYPES",
		    "no symbolic type information is available for %s: %s", e->text,
		    why);
}

/* The type of an extern declaration; NULL: there is none. */
static const struct type *declared_extern(struct dlang *d, const char *name)
{
	const struct ident *id = scope_find(scope_of(d), AST_GLOBAL, name);

	return id && id->kind == IDENT_EXTERN ? id->type : NULL;
}

int check_symbol(struct dlang *d, struct ast_expr *e)
{
	const struct typesrc *src = d->env.types;
	struct typesrc_symbol found = {0};
	const struct type *t;
	struct scoped_name name;
	struct err err = {0};

	if (scoped_split(d, e->text, &name) != SCOPED_OK)
		return diag(d, &e->pos, "D_IDENT_UNDEF",
			    "failed to resolve %s: Unknown symbol/module name",
			    e->text);
	if (stability_use(d, &e->pos, e->text, STABILITY_PRIVATE))
		return STATUS_SYNTAX;
	if (!src)
		return diag(d, &e->pos, "D_IDENT_UNDEF",
			    "failed to resolve %s: Unknown symbol name", e->text);
	found.object = name.object;
	found.name = name.last;
	if (src->symbol(src->ctx, types_of(d), &found, &err))
		return diag_err(d, &e->pos, &err);
	e->value = found.address;
	t = found.type ? found.type : declared_extern(d, name.last);
	if (!t)
		return no_types(d, e,
				found.why.text[0]
					? found.why.text
					: "declare it as extern with its type");
	if (type_resolve(t)->kind == TYPE_FUNC) {
		t = type_userland(types_of(d), type_pointer(types_of(d), t));
		expr_make_int(e, e->value, t);
		return 0;
	}
	set_lvalue(d, e, t, EX_LVALUE | EX_USER | EX_SYMBOL);
	return check_complete(d, e, t);
}
