/* SPDX-License-Identifier: MIT */
/*
 * Binary operators, assignment, ++ and --, ?: .
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/check/fold.h"
#include "dlang/check/xlate.h"

static bool is_dyn(const struct ast_expr *e)
{
	return e->type->kind == TYPE_DYN;
}

int incompatible(struct dlang *d, const struct ast_expr *e, const struct ast_expr *l,
		 const struct ast_expr *r)
{
	return diag(d, &e->pos, "D_OP_INCOMPAT",
		    "operands have incompatible types: \"%s\" %s \"%s\"",
		    expr_type_name(l), ast_op_text(e->op), expr_type_name(r));
}

/* Whether one pointer (array, string) may be assigned to the other. */
static bool pointers_match(struct dlang *d, const struct type *a,
			   const struct ast_expr *from)
{
	const struct type *b = from->type;
	const struct type *pa = type_pointee(types_of(d), a);
	const struct type *pb = type_pointee(types_of(d), b);

	if (!pa || !pb || type_is_userland(a) != expr_is_userland(from))
		return false;
	return type_is_void(pa) || type_is_void(pb) || type_is_same(pa, pb);
}

bool is_compatible(struct dlang *d, const struct type *to, const struct ast_expr *from)
{
	const struct type *ft = from->type;

	if (type_is_int(to) && type_is_int(ft))
		return true;
	if ((type_is_string(to) || type_is_pointer(to)) && expr_is_zero(from))
		return true;
	if (type_is_string(to))
		return type_is_strcompat(ft);
	if (type_is_string(ft))
		return type_is_strcompat(to) && !type_is_userland(to);
	if (type_is_pointer(to) && type_is_pointer(ft))
		return pointers_match(d, to, from);
	return type_is_same(to, ft) && !type_is_void(to) && !is_dyn(from);
}

static void fold_in_place(struct ast_expr *e, const struct type *operation)
{
	if (!expr_is_const(e->left) || !expr_is_const(e->right))
		return;
	e->value = fold_binary(e->op, e->left->value, e->right->value, operation);
	e->kind = EXPR_INT;
}

/* Reports operands that are not integers, in the words of DTrace. */
static int needs_integers(struct dlang *d, const struct ast_expr *e, enum ast_op op)
{
	bool is_arith = op == AST_OP_MUL || op == AST_OP_DIV || op == AST_OP_ADD ||
			op == AST_OP_SUB || (op >= AST_OP_LT && op <= AST_OP_NE);

	return diag(d, &e->pos, is_arith ? "D_OP_ARITH" : "D_OP_INT",
		    "operator %s requires operands of %s type", ast_op_text(e->op),
		    is_arith ? "arithmetic" : "integral");
}

static bool has_float(const struct ast_expr *e)
{
	return type_is_float(e->left->type) || type_is_float(e->right->type);
}

static int check_divisor(struct dlang *d, const struct ast_expr *e, enum ast_op op)
{
	if ((op == AST_OP_DIV || op == AST_OP_MOD) && expr_is_zero(e->right))
		return diag(d, &e->pos, "D_DIV_ZERO",
			    "expression contains division by zero");
	return 0;
}

static int check_integers(struct dlang *d, struct ast_expr *e)
{
	const struct type *l = e->left->type, *r = e->right->type;

	if (!type_is_int(l) || !type_is_int(r))
		return needs_integers(d, e, e->op);
	if (check_divisor(d, e, e->op))
		return STATUS_SYNTAX;
	if (e->op == AST_OP_SHL || e->op == AST_OP_SHR)
		e->type = type_promote(l, l);
	else
		e->type = type_promote(l, r);
	fold_in_place(e, e->type);
	return 0;
}

/* Whether integers can be added to it: a pointer to objects of known size. */
static bool is_address(struct dlang *d, const struct ast_expr *e)
{
	const struct type *t = type_pointee(types_of(d), e->type);

	return t && type_size(types_of(d), t) > 0;
}

static int check_sum(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *l = e->left, *r = e->right;
	bool lp = is_address(d, l), rp = is_address(d, r);

	if (has_float(e))
		return needs_integers(d, e, e->op);
	if (type_is_int(l->type) && type_is_int(r->type)) {
		e->type = type_promote(l->type, r->type);
		fold_in_place(e, e->type);
		return 0;
	}
	if (lp && type_is_int(r->type))
		e->type = expr_value_type(d, l);
	else if (e->op == AST_OP_ADD && rp && type_is_int(l->type))
		e->type = expr_value_type(d, r);
	else if (e->op == AST_OP_SUB && lp && rp &&
		 pointers_match(d, expr_value_type(d, l), r))
		e->type = types_of(d)->t_ptrdiff;
	else
		return incompatible(d, e, l, r);
	return 0;
}

static int check_compare(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *l = e->left, *r = e->right;
	bool is_str = type_is_string(l->type) || type_is_string(r->type);

	e->type = types_of(d)->t_int;
	if (type_is_int(l->type) && type_is_int(r->type)) {
		fold_in_place(e, type_promote(l->type, r->type));
		return 0;
	}
	if (has_float(e))
		return needs_integers(d, e, e->op);
	if (is_dyn(l) || is_dyn(r) || type_is_struct_or_union(l->type) ||
	    (!is_compatible(d, expr_value_type(d, l), r) &&
	     !is_compatible(d, expr_value_type(d, r), l)))
		return incompatible(d, e, l, r);
	if (is_str)
		e->flags |= EX_STRCMP;
	return 0;
}

static int check_logical(struct dlang *d, struct ast_expr *e)
{
	if (!type_is_scalar(e->left->type) || !type_is_scalar(e->right->type))
		return diag(d, &e->pos, "D_OP_SCALAR",
			    "operator %s requires operands of scalar type",
			    ast_op_text(e->op));
	e->type = types_of(d)->t_int;
	fold_in_place(e, e->type);
	return 0;
}

/*
 * The right side of a comparison with an enum may name an enumerator of it. Enumerators
 * are global names only if D defined the enum; those of the target are resolved here.
 */
static int check_enumerator(struct dlang *d, const struct ast_expr *e)
{
	const struct type *t = type_resolve(e->left->type);
	struct ast_expr *r = e->right;
	const struct type_member *m;
	const struct ident *id;

	if (t->kind != TYPE_ENUM || r->kind != EXPR_VAR || r->scope != AST_GLOBAL)
		return 0;
	type_complete(types_of(d), t);
	for (m = t->members; m && strcmp(m->name, r->text) != 0;)
		m = m->next;
	if (!m)
		return 0;
	id = scope_find(scope_of(d), AST_GLOBAL, r->text);
	if (id && (id->kind != IDENT_ENUMERATOR || id->value != m->value))
		return diag(d, &e->pos, "D_IDENT_AMBIG",
			    "ambiguous use of operator %s: %s is both a %s enum tag "
			    "and a global %s",
			    ast_op_text(e->op), r->text, e->left->type->name,
			    ident_kind_name(id));
	expr_make_int(r, (uint64_t)m->value, types_of(d)->t_int);
	return 0;
}

int check_binary(struct dlang *d, struct ast_expr *e)
{
	int rc = check_expr(d, e->left), rc2;

	if (!rc && e->op >= AST_OP_LT && e->op <= AST_OP_NE)
		rc = check_enumerator(d, e);
	rc2 = check_expr(d, e->right);
	if (rc || rc2)
		return STATUS_SYNTAX;
	switch (e->op) {
	case AST_OP_ADD:
	case AST_OP_SUB:
		return check_sum(d, e);
	case AST_OP_LT:
	case AST_OP_LE:
	case AST_OP_GT:
	case AST_OP_GE:
	case AST_OP_EQ:
	case AST_OP_NE:
		return check_compare(d, e);
	case AST_OP_LAND:
	case AST_OP_LXOR:
	case AST_OP_LOR:
		return check_logical(d, e);
	default:
		return check_integers(d, e);
	}
}

/* ---- assignment ---- */

static int check_writable(struct dlang *d, const struct ast_expr *e,
			  const struct ast_expr *target)
{
	const char *op = ast_op_text(e->op);

	if (!(target->flags & EX_LVALUE))
		return diag(d, &e->pos, "D_OP_LVAL",
			    "operator %s requires modifiable lvalue as an operand", op);
	if (!(target->flags & EX_WRITABLE))
		return diag(d, &e->pos, "D_OP_WRITE",
			    "operator %s can only be applied to a writable variable",
			    op);
	return 0;
}

/* 0 deletes an element, or a self-> variable, of struct type. */
static bool is_deletion(const struct ast_expr *e)
{
	const struct ast_expr *l = e->left;

	return type_is_struct_or_union(l->type) && expr_is_zero(e->right) && l->ident &&
	       (l->kind == EXPR_INDEX || (l->kind == EXPR_VAR && l->scope == AST_SELF));
}

static int check_plain_assign(struct dlang *d, struct ast_expr *e)
{
	enum type_kind kind;

	if (is_dyn(e->right))
		return diag(d, &e->pos, "D_OP_DYN",
			    "operator = operands cannot be of dynamic type");
	kind = type_resolve(e->left->type)->kind;
	if (kind == TYPE_ARRAY || kind == TYPE_FUNC)
		return diag(d, &e->pos, "D_OP_ARRFUN",
			    "operator = may not be applied to operand of type \"%s\"",
			    e->left->type->name);
	if (!is_compatible(d, e->left->type, e->right) && !is_deletion(e))
		return incompatible(d, e, e->left, e->right);
	return 0;
}

/* ++ -- of a pointer require objects of known size. */
static int check_moving(struct dlang *d, const struct ast_expr *e)
{
	if (is_address(d, e->left))
		return 0;
	return diag(d, &e->pos, "D_OP_VFPTR",
		    "operator %s requires an operand of known size",
		    ast_op_text(e->op));
}

static int check_compound(struct dlang *d, struct ast_expr *e)
{
	enum ast_op op = ast_op_of_assign(e->op);
	const struct type *l = e->left->type, *r = e->right->type;
	bool is_sum = op == AST_OP_ADD || op == AST_OP_SUB;

	if (type_is_string(l) || type_is_string(r) || is_dyn(e->right))
		return incompatible(d, e, e->left, e->right);
	if (type_is_int(l) && type_is_int(r))
		return check_divisor(d, e, op);
	if (has_float(e))
		return needs_integers(d, e, op);
	if (type_resolve(l)->kind == TYPE_ARRAY)
		return diag(d, &e->pos, "D_OP_ARRFUN",
			    "operator %s may not be applied to operand of type \"%s\"",
			    ast_op_text(e->op), l->name);
	if (!is_sum)
		return needs_integers(d, e, op);
	if (!is_address(d, e->left))
		return diag(d, &e->pos, "D_OP_VFPTR",
			    "operator %s requires left-hand scalar operand of known "
			    "size",
			    ast_op_text(e->op));
	return type_is_int(r) ? 0 : incompatible(d, e, e->left, e->right);
}

/* Whether e calls an action, before it is checked. */
static bool names_action(struct dlang *d, const struct ast_expr *e)
{
	const struct ident *id;

	if (e->kind != EXPR_CALL || e->left->kind != EXPR_VAR)
		return false;
	id = scope_find(scope_of(d), e->left->scope, e->left->text);
	return id && (ident_is_action(id) || id->kind == IDENT_AGGFUNC);
}

/* What context.c refuses as a value: a call of an action, or a stack. */
static bool is_no_value(const struct ast_expr *e)
{
	return is_action_call(e) || type_is_location(e->type);
}

int check_assign(struct dlang *d, struct ast_expr *e)
{
	bool is_plain = e->op == AST_OP_ASSIGN;
	bool is_new = is_undefined_var(d, e->left), has_type;
	int rc, rc2;

	if (e->left->kind == EXPR_AGG)
		return diag(d, &e->pos, "D_CG_EXPR",
			    "aggregation @%s may not be assigned in a D expression (D "
			    "program context required)",
			    e->left->text);
	if (is_new && !is_plain && names_action(d, e->right))
		return diag(d, &e->left->pos, "D_VAR_UNDEF",
			    "%s has not yet been declared or assigned",
			    e->left->kind == EXPR_INDEX ? e->left->left->text
							: e->left->text);
	/* A new variable gets the type of the assigned value. */
	rc = check_expr(d, e->right);
	if (!rc)
		rc = xlate_refuse(d, e->right);
	if (rc && is_new)
		return rc;
	if (is_new && is_dyn(e->right))
		return check_plain_assign(d, e);
	has_type = is_plain && is_new && !is_no_value(e->right);
	rc2 = check_assignee(d, e->left,
			     has_type ? expr_value_type(d, e->right)
				      : types_of(d)->t_int64);
	if (rc || rc2)
		return STATUS_SYNTAX;
	if (is_new && is_plain && !has_type) {
		e->type = e->left->type;
		return 0;
	}
	rc = check_writable(d, e, e->left);
	if (!rc)
		rc = is_plain ? check_plain_assign(d, e) : check_compound(d, e);
	e->type = e->left->type;
	return rc;
}

int check_incdec(struct dlang *d, struct ast_expr *e)
{
	int rc = check_assignee(d, e->left, types_of(d)->t_int64);

	if (rc)
		return rc;
	if (!type_is_scalar(e->left->type))
		return diag(d, &e->pos, "D_OP_SCALAR",
			    "operator %s requires operand of scalar type",
			    ast_op_text(e->op));
	rc = check_writable(d, e, e->left);
	if (!rc && type_is_pointer(e->left->type))
		rc = check_moving(d, e);
	e->type = e->left->type;
	return rc;
}

/* ---- ?: ---- */

bool is_action_call(const struct ast_expr *e)
{
	return e->kind == EXPR_CALL && e->ident &&
	       (ident_is_action(e->ident) || e->ident->kind == IDENT_AGGFUNC);
}

static const struct type *cond_type(struct dlang *d, const struct ast_expr *a,
				    const struct ast_expr *b)
{
	bool has_string = type_is_string(a->type) || type_is_string(b->type);

	if (type_is_int(a->type) && type_is_int(b->type))
		return type_promote(a->type, b->type);
	if (is_compatible(d, expr_value_type(d, a), b))
		return has_string ? types_of(d)->t_string : expr_value_type(d, a);
	if (is_compatible(d, expr_value_type(d, b), a))
		return has_string ? types_of(d)->t_string : expr_value_type(d, b);
	return type_is_void(a->type) && type_is_void(b->type) ? a->type : NULL;
}

void expr_select(struct dlang *d, struct ast_expr *e)
{
	while (e->kind == EXPR_COND && !check_expr(d, e->left) &&
	       expr_is_const(e->left))
		expr_replace(e, e->left->value ? e->right : e->third);
}

/* With a constant condition only the selected branch is checked. */
static int check_const_cond(struct dlang *d, struct ast_expr *e)
{
	struct ast_expr *taken = e->left->value ? e->right : e->third;
	int rc;

	taken->flags |= e->flags & EX_LOCATION;
	rc = check_expr(d, taken);
	if (rc)
		return rc;
	expr_replace(e, taken);
	e->flags &= ~(uint32_t)(EX_LVALUE | EX_WRITABLE);
	return 0;
}

int check_cond(struct dlang *d, struct ast_expr *e)
{
	int rc = check_expr(d, e->left), rc2, rc3;

	if (!rc && !type_is_scalar(e->left->type))
		return diag(d, &e->pos, "D_OP_SCALAR",
			    "operator ?: expression must be of scalar type");
	if (!rc && expr_is_const(e->left))
		return check_const_cond(d, e);
	rc2 = check_expr(d, e->right);
	rc3 = check_expr(d, e->third);
	if (rc || rc2 || rc3)
		return STATUS_SYNTAX;
	if (is_action_call(e->right) || is_action_call(e->third))
		return diag(d, &e->pos, "D_OP_ACT",
			    "action cannot be used in a conditional context");
	if (is_dyn(e->right) || is_dyn(e->third))
		return diag(d, &e->pos, "D_OP_DYN",
			    "operator ?: operands cannot be of dynamic type");
	e->type = cond_type(d, e->right, e->third);
	if (!e->type)
		return diag(d, &e->pos, "D_OP_INCOMPAT",
			    "operator ?: operands must have compatible types");
	return 0;
}
