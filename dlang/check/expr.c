/* SPDX-License-Identifier: MIT */
/*
 * Expressions: resolves names, sets the type of each node, folds constants. Binary
 * operators and assignment are in op.c, members in member.c, calls in call.c.
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/base/content.h"
#include "dlang/check/fold.h"
#include "dlang/check/xlate.h"

#define NAMES_MAX (65536 - 0x500) /* variables of one scope */
#define UREGS	  28		  /* registers of uregs[], R15 to GS */
#define UVECTORS  8		  /* of uvectors[] */

bool expr_is_zero(const struct ast_expr *e)
{
	return e->kind == EXPR_INT && e->value == 0;
}

bool expr_is_const(const struct ast_expr *e)
{
	return e->kind == EXPR_INT;
}

const struct type *type_decay(struct dlang *d, const struct type *t)
{
	const struct type *r = type_resolve(t);

	return r->kind == TYPE_ARRAY ? type_pointer(types_of(d), r->base) : t;
}

void expr_make_int(struct ast_expr *e, uint64_t value, const struct type *type)
{
	e->kind = EXPR_INT;
	e->value = value;
	e->type = type;
	e->flags = EX_CHECKED;
}

static int check_int(struct dlang *d, struct ast_expr *e)
{
	if (e->type)
		return 0;
	e->type = type_of_literal(types_of(d), e->value, e->int_decimal,
				  e->int_unsigned, e->int_longs);
	if (!e->type)
		return diag(
			d, &e->pos, "D_INT_OFLOW",
			"integer constant %llu cannot be represented in any built-in "
			"integral type",
			(unsigned long long)e->value);
	return 0;
}

static int unknown_name(struct dlang *d, const struct ast_expr *e)
{
	if (e->scope == AST_SELF || e->scope == AST_THIS)
		return diag(d, &e->pos, "D_VAR_UNDEF",
			    "%s->%s has not yet been declared or assigned",
			    e->scope == AST_SELF ? "self" : "this", e->text);
	hint_variable(d, e->text);
	return diag(d, &e->pos, "D_IDENT_UNDEF",
		    "failed to resolve %s: Unknown variable name", e->text);
}

static int bad_reference(struct dlang *d, const struct ast_expr *e,
			 const struct ident *id)
{
	hint_reference(d, id);
	return diag(d, &e->pos, "D_IDENT_BADREF",
		    "%s '%s' may not be referenced as scalar", ident_kind_name(id),
		    id->name);
}

static int check_var(struct dlang *d, struct ast_expr *e)
{
	struct ident *id = scope_find(scope_of(d), e->scope, e->text);

	if (strchr(e->text, '`') || (id && id->kind == IDENT_EXTERN))
		return check_symbol(d, e);
	if (!id)
		return unknown_name(d, e);
	e->ident = id;
	if (stability_use_ident(d, &e->pos, id))
		return STATUS_SYNTAX;
	if (id->kind == IDENT_NULL || id->kind == IDENT_CONST ||
	    id->kind == IDENT_ENUMERATOR) {
		expr_make_int(e, (uint64_t)id->value, id->type);
		return 0;
	}
	if (id->kind == IDENT_INLINE && !id->has_params)
		return inline_expand(d, e, id);
	if (id->kind == IDENT_KERNEL_VAR)
		return check_kernel_var(d, e);
	if (id->kind == IDENT_SCALAR)
		e->flags |= EX_LVALUE | EX_WRITABLE;
	else if (id->kind == IDENT_BUILTIN)
		e->flags |= EX_LVALUE;
	else
		return bad_reference(d, e, id);
	e->type = id->type;
	return 0;
}

/* @a as a value. Only actions that expect an aggregation accept its type. */
static int check_agg_ref(struct dlang *d, struct ast_expr *e)
{
	e->type = types_of(d)->t_dyn;
	e->ident = scope_find_agg(scope_of(d), e->text);
	if (e->ident && e->ident->has_func)
		return 0;
	hint_aggregation(d, e->text);
	return diag(d, &e->pos, "D_IDENT_UNDEF",
		    "failed to resolve @%s: Unknown variable name", e->text);
}

bool is_undefined_var(struct dlang *d, const struct ast_expr *e)
{
	if (e->kind == EXPR_INDEX)
		e = e->left;
	return e->kind == EXPR_VAR && !strchr(e->text, '`') &&
	       !scope_find(scope_of(d), e->scope, e->text);
}

static int new_array(struct dlang *d, struct ast_expr *e, const struct type *type)
{
	struct ast_expr *name = e->left;
	struct ident *id;
	int rc;

	if (name->scope == AST_THIS)
		return diag(d, &e->pos, "D_ARR_LOCAL",
			    "local variables may not be used as associative arrays: %s",
			    name->text);
	check_takes_locations(e->args);
	rc = check_list(d, e->args);
	if (rc)
		return rc;
	/* The array is added only after its keys are valid. */
	struct ident probe = {.name = name->text, .kind = IDENT_ARRAY};

	rc = check_keys(d, e, e->args, e->nargs, &probe);
	if (rc)
		return rc;
	id = scope_add_var(scope_of(d), name->scope, name->text, IDENT_ARRAY, type);
	id->is_wide = type_is_int(type);
	id->params = probe.params;
	id->nparams = probe.nparams;
	id->has_params = true;
	return 0;
}

int check_scope_limit(struct dlang *d, const struct ast_pos *pos, enum ast_scope where,
		      const char *name)
{
	static const char words[][8] = {
		[AST_GLOBAL] = "global",
		[AST_SELF] = "self",
		[AST_THIS] = "this",
	};

	if (scope_count(scope_of(d), where) < NAMES_MAX)
		return 0;
	return diag(d, pos, "D_ID_OFLOW",
		    "cannot create %s: limit on number of %s variables exceeded", name,
		    words[where]);
}

static void new_scalar(struct dlang *d, const struct ast_expr *e,
		       const struct type *type)
{
	struct ident *id =
		scope_add_var(scope_of(d), e->scope, e->text, IDENT_SCALAR, type);

	id->is_wide = type_is_int(type);
}

int check_assignee(struct dlang *d, struct ast_expr *e, const struct type *type)
{
	const struct type *t = type_decay(d, type);
	const struct ast_expr *name = e->kind == EXPR_INDEX ? e->left : e;
	int rc = 0;

	if (is_undefined_var(d, e)) {
		if (type_is_void(t) || t->kind == TYPE_DYN || t->kind == TYPE_FUNC)
			return diag(
				d, &e->pos, "D_OP_INCOMPAT",
				"operands have incompatible types: \"%s\" %s \"%s\"",
				"<unknown>", "=", t->name);
		rc = check_scope_limit(d, &e->pos, name->scope, name->text);
		if (!rc && e->kind == EXPR_INDEX)
			rc = new_array(d, e, t);
		else if (!rc)
			new_scalar(d, e, t);
	}
	return rc ? rc : check_expr(d, e);
}

/* Makes e the object, of type t, that the pointer e->left designates. */
static int check_pointee(struct dlang *d, struct ast_expr *e, const struct type *t)
{
	enum type_kind kind = type_resolve(t)->kind;

	if (kind == TYPE_VOID)
		return diag(d, &e->pos, "D_DEREF_VOID",
			    "cannot dereference pointer to void");
	if (kind == TYPE_FUNC)
		return diag(d, &e->pos, "D_DEREF_FUNC",
			    "cannot dereference pointer to function");
	if (check_complete(d, e, t))
		return STATUS_SYNTAX;
	set_lvalue(d, e, t, pointee_flags(e->left));
	return 0;
}

/*
 * A constant index into a variable, or into a member of a translated struct. Other
 * arrays may be parts of something larger, which the machine knows.
 */
static int check_bounds(struct dlang *d, const struct ast_expr *e)
{
	const struct ast_expr *l = e->left;
	const struct type *t = type_resolve(l->declared ? l->declared : l->type);
	bool is_whole = l->kind == EXPR_VAR || l->declared;
	uint64_t past = t->count + (e->flags & EX_ADDRESSED ? UINT64_C(1) : 0);

	if (t->kind != TYPE_ARRAY || t->count == 0 || !is_whole ||
	    !expr_is_const(e->args) || e->args->value < past)
		return 0;
	return diag(d, &e->pos, "D_ARR_BOUNDS",
		    "index outside array bounds: %lld, max is %u",
		    (long long)e->args->value, t->count);
}

static int not_indexable(struct dlang *d, const struct ast_expr *e)
{
	const struct ident *id = e->left->ident;

	if (id && type_resolve(e->left->type)->kind == TYPE_ARRAY)
		return diag(d, &e->pos, "D_ARR_BADREF",
			    "cannot access %s %s as an associative array",
			    ident_kind_name(id), id->name);
	if (id)
		return diag(d, &e->pos, "D_IDENT_BADREF",
			    "%s '%s' may not be referenced as associative array",
			    ident_kind_name(id), id->name);
	return diag(d, &e->pos, "D_ARR_BADREF",
		    "cannot access %s as an associative array", e->left->type->name);
}

/* p[i] is *(p + i). */
static int check_subscript(struct dlang *d, struct ast_expr *e)
{
	const struct type *elem = type_pointee(types_of(d), e->left->type);
	int rc = check_list(d, e->args);

	if (rc)
		return rc;
	if (!elem || e->nargs != 1)
		return not_indexable(d, e);
	if (!type_is_int(e->args->type))
		return diag(d, &e->pos, "D_OP_INCOMPAT",
			    "operands have incompatible types: \"%s\" + \"%s\"",
			    e->left->type->name, expr_type_name(e->args));
	rc = check_bounds(d, e);
	return rc ? rc : check_pointee(d, e, elem);
}

static int check_element(struct dlang *d, struct ast_expr *e, struct ident *id)
{
	int rc;

	check_takes_locations(e->args);
	rc = check_list(d, e->args);
	if (!rc)
		rc = check_keys(d, e, e->args, e->nargs, id);
	if (rc)
		return rc;
	e->ident = id;
	e->type = id->type;
	e->flags |= EX_LVALUE | EX_WRITABLE;
	return 0;
}

static int check_builtin_element(struct dlang *d, struct ast_expr *e, struct ident *id)
{
	int rc = check_list(d, e->args);

	if (rc)
		return rc;
	if (e->nargs != 1)
		return diag(d, &e->pos, "D_PROTO_LEN",
			    "%s[ ] prototype mismatch: %u keys passed, 1 expected",
			    id->name, e->nargs);
	if (!type_is_int(e->args->type))
		return diag(d, &e->pos, "D_PROTO_ARG",
			    "%s[ ] key #1 is incompatible with prototype:\n"
			    "\tprototype: int\n\t      key: %s",
			    id->name, e->args->type->name);
	if (expr_is_const(e->args) &&
	    e->args->value >= (id->number == BUILTIN_uregs ? UREGS : UVECTORS))
		return diag(d, &e->pos, "D_REGS_IDX",
			    "index %lld is out of range for array %s",
			    (long long)e->args->value, id->name);
	e->ident = id;
	e->type = id->type;
	e->flags |= EX_LVALUE;
	return 0;
}

static int check_index(struct dlang *d, struct ast_expr *e)
{
	struct ast_expr *left = e->left;
	struct ident *id = NULL;
	int rc;

	if (left->kind == EXPR_AGG)
		return diag(d, &e->pos, "D_AGG_MDIM",
			    "improper attempt to reference @%s as a multi-dimensional "
			    "array",
			    left->text);
	if (left->kind == EXPR_VAR)
		id = scope_find(scope_of(d), left->scope, left->text);
	if (id && stability_use_ident(d, &e->pos, id))
		return STATUS_SYNTAX;
	if (id && id->kind == IDENT_ARRAY)
		return check_element(d, e, id);
	if (id && id->kind == IDENT_INLINE && id->has_params)
		return inline_expand(d, e, id);
	if (id && id->kind == IDENT_BUILTIN_ARRAY)
		return check_builtin_element(d, e, id);
	if (id && id->kind == IDENT_ARGS)
		return check_args(d, e, id);
	if (id && id->kind == IDENT_KERNEL_VAR && check_list(d, e->args) == 0) {
		e->ident = id;
		return check_kernel_var(d, e);
	}
	if (left->kind == EXPR_VAR && left->scope == AST_THIS && !id)
		return diag(d, &e->pos, "D_ARR_LOCAL",
			    "local variables may not be used as associative arrays: %s",
			    left->text);
	rc = check_expr(d, left);
	return rc ? rc : check_subscript(d, e);
}

static int check_deref(struct dlang *d, struct ast_expr *e)
{
	const struct type *t = type_pointee(types_of(d), e->left->type);

	if (xlate_is_pointer(e->left, NULL))
		return xlate_deref(d, e);
	if (!t)
		return diag(d, &e->pos, "D_DEREF_NONPTR",
			    "cannot dereference non-pointer type");
	return check_pointee(d, e, t);
}

/* Where a C++ or Rust string, or what t points to, has its text; NULL: it is none. */
static const struct content *find_text(struct dlang *d, const struct type *t)
{
	struct content *c, found;

	t = type_resolve(t);
	if (!content_is_text(types_of(d), t->kind == TYPE_POINTER ? t->base : t,
			     &found))
		return NULL;
	c = arena_alloc(&d->arena, sizeof(*c));
	*c = found;
	return c;
}

static int check_stringof(struct dlang *d, struct ast_expr *e)
{
	const struct type *t = e->left->type;

	e->extra = (void *)(uintptr_t)find_text(d, t);
	if (!e->extra && !type_is_scalar(t) && !type_is_strcompat(t))
		return diag(d, &e->pos, "D_STRINGOF_TYPE",
			    "cannot apply stringof to a value of type %s",
			    expr_type_name(e->left));
	e->type = types_of(d)->t_string;
	return 0;
}

static int check_arith_unary(struct dlang *d, struct ast_expr *e)
{
	const struct type *t = e->left->type;
	const char *op = ast_op_text(e->op);

	if (e->op == AST_OP_NOT && !type_is_scalar(t))
		return diag(d, &e->pos, "D_OP_SCALAR",
			    "operator %s requires an operand of scalar type", op);
	if (e->op == AST_OP_BNOT && !type_is_int(t))
		return diag(d, &e->pos, "D_OP_INT",
			    "operator %s requires an operand of integral type", op);
	if (e->op != AST_OP_NOT && !type_is_int(t))
		return diag(d, &e->pos, "D_OP_ARITH",
			    "operator %s requires an operand of arithmetic type", op);
	e->type = e->op == AST_OP_NOT ? types_of(d)->t_int : type_promote(t, t);
	if (expr_is_const(e->left))
		expr_make_int(e, fold_unary(e->op, e->left->value, t), e->type);
	return 0;
}

static int check_unary(struct dlang *d, struct ast_expr *e)
{
	int rc;

	if (e->op == AST_OP_PREINC || e->op == AST_OP_PREDEC)
		return check_incdec(d, e);
	if (e->op == AST_OP_ADDR)
		e->left->flags |= EX_ADDRESSED;
	rc = check_expr(d, e->left);
	if (rc)
		return rc;
	switch (e->op) {
	case AST_OP_DEREF:
		return check_deref(d, e);
	case AST_OP_ADDR:
		return check_addr(d, e);
	case AST_OP_SIZEOF:
		return check_sizeof(d, e);
	case AST_OP_STRINGOF:
		return check_stringof(d, e);
	default:
		return check_arith_unary(d, e);
	}
}

static bool can_cast(struct dlang *d, const struct type *to,
		     const struct ast_expr *from)
{
	const struct type *ft = from->type;

	if (type_is_void(to) || is_compatible(d, to, from))
		return true;
	if (type_is_string(to))
		return type_is_scalar(ft) || type_is_strcompat(ft);
	if (type_is_scalar(to) && type_is_scalar(ft))
		return true;
	/* The value of an array or string is an address. */
	return type_resolve(to)->kind == TYPE_POINTER &&
	       (type_is_pointer(ft) || type_is_string(ft));
}

static int check_cast(struct dlang *d, struct ast_expr *e)
{
	const struct type *to = check_typename(d, e->tname);
	int rc = check_expr(d, e->left);

	if (rc || !to)
		return STATUS_SYNTAX;
	if (!can_cast(d, to, e->left))
		return diag(d, &e->pos, "D_CAST_INVAL",
			    "invalid cast expression: \"%s\" to \"%s\"",
			    expr_type_name(e->left), to->name);
	e->type = to;
	if (expr_is_const(e->left) && type_is_scalar(to))
		expr_make_int(e, fold_cast(e->left->value, to), to);
	return 0;
}

static int check_comma(struct dlang *d, struct ast_expr *e)
{
	int rc, rc2;

	rc = check_expr(d, e->left);
	rc2 = check_expr(d, e->right);
	if (rc || rc2)
		return STATUS_SYNTAX;
	if (is_action_call(e->left) || is_action_call(e->right))
		return diag(d, &e->pos, "D_OP_ACT",
			    "action cannot be used in a conditional context");
	if (e->left->type->kind == TYPE_DYN || e->right->type->kind == TYPE_DYN)
		return diag(d, &e->pos, "D_OP_DYN",
			    "operator , operands cannot be of dynamic type");
	e->type = e->right->type;
	e->flags |= e->right->flags & EX_USER;
	return 0;
}

static int dispatch(struct dlang *d, struct ast_expr *e)
{
	switch (e->kind) {
	case EXPR_INT:
		return check_int(d, e);
	case EXPR_STRING:
		e->type = types_of(d)->t_string;
		return 0;
	case EXPR_VAR:
		return check_var(d, e);
	case EXPR_AGG:
		return check_agg_ref(d, e);
	case EXPR_INDEX:
		return check_index(d, e);
	case EXPR_CALL:
		return check_call(d, e);
	case EXPR_UNARY:
		return check_unary(d, e);
	case EXPR_POSTFIX:
		return check_incdec(d, e);
	case EXPR_BINARY:
		return check_binary(d, e);
	case EXPR_ASSIGN:
		return check_assign(d, e);
	case EXPR_COND:
		return check_cond(d, e);
	case EXPR_COMMA:
		return check_comma(d, e);
	case EXPR_CAST:
		return check_cast(d, e);
	case EXPR_SIZEOF:
		return check_sizeof_type(d, e);
	case EXPR_OFFSETOF:
		return check_offsetof(d, e);
	case EXPR_MEMBER:
		return check_member(d, e);
	case EXPR_XLATE:
		return check_xlate(d, e);
	default:
		return STATUS_SYNTAX; /* EXPR_ERROR: the error is reported */
	}
}

int check_expr(struct dlang *d, struct ast_expr *e)
{
	int rc;

	if (e->flags & EX_CHECKED)
		return e->kind == EXPR_ERROR ? STATUS_SYNTAX : 0;
	e->flags |= EX_CHECKED;
	rc = dispatch(d, e);
	if (rc)
		e->kind = EXPR_ERROR;
	return rc;
}

int check_list(struct dlang *d, struct ast_expr *list)
{
	int rc = 0;

	for (struct ast_expr *e = list; e; e = e->next)
		if (check_expr(d, e))
			rc = STATUS_SYNTAX;
	return rc;
}
