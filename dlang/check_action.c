/* SPDX-License-Identifier: MIT */
/*
 * Clauses, statements and the actions that record something.
 */
#include "dlang/check.h"

#include "dlang/printf.h"

static int check_trace(struct dlang *d, struct ast_expr *e)
{
	struct ast_expr *arg = e->args;

	if (arg->kind == EXPR_AGG)
		return diag(d, &arg->pos, "D_TRACE_AGG",
			    "trace( ) may not be applied to an aggregation");
	if (check_expr(d, arg))
		return STATUS_SYNTAX;
	if (type_is_void(arg->type))
		return diag(d, &arg->pos, "D_TRACE_VOID",
			    "trace( ) may not be applied to a void expression");
	if (arg->type->kind == TYPE_DYN)
		return diag(d, &arg->pos, "D_TRACE_DYN",
			    "trace( ) may not be applied to a dynamic expression");
	return 0;
}

static int check_exit(struct dlang *d, struct ast_expr *e)
{
	if (check_expr(d, e->args))
		return STATUS_SYNTAX;
	if (!is_compatible(d, types_of(d)->t_int, e->args))
		return bad_argument(d, e->args, e->ident->name, 1, "int");
	return 0;
}

/* The first argument is a string literal that is not empty. */
static int check_format(struct dlang *d, const struct ast_expr *e)
{
	struct ast_expr *format = e->args;

	if (check_expr(d, format))
		return STATUS_SYNTAX;
	if (format->kind != EXPR_STRING)
		return diag(d, &format->pos, "D_PRINTF_ARG_FMT",
			    "%s( ) argument #1 is incompatible with prototype:\n"
			    "\tprototype: string constant\n\t argument: %s",
			    e->ident->name, expr_type_name(format));
	if (format->len == 0)
		return diag(d, &format->pos, "D_PRINTF_FMT_EMPTY",
			    "%s( ) format string is empty", e->ident->name);
	format->extra = printf_parse(d, format);
	return format->extra ? 0 : STATUS_SYNTAX;
}

static int check_printf(struct dlang *d, struct ast_expr *e)
{
	struct printf_values v = {.func = e->ident->name, .pos = &e->pos, .first = 2};
	int rc = check_format(d, e);

	if (check_list(d, e->args->next) || rc)
		return STATUS_SYNTAX;
	v.types = arena_alloc(&d->arena, e->nargs * sizeof(*v.types));
	for (const struct ast_expr *a = e->args->next; a; a = a->next)
		v.types[v.count++] = a->type;
	return printf_check(d, e->args->extra, &v);
}

/* ---- printa ---- */

/* Every aggregation of one printa() has the keys of the first. */
static int check_joined(struct dlang *d, const struct ast_expr *first,
			const struct ast_expr *other)
{
	const struct ident *a = first->ident, *b = other->ident;

	if (a->nparams != b->nparams)
		return diag(d, &other->pos, "D_PRINTA_AGGKEY",
			    "printa( ) aggregations have different numbers of keys: "
			    "@%s has %u, @%s has %u",
			    a->name, a->nparams, b->name, b->nparams);
	for (uint32_t i = 0; i < a->nparams; i++)
		if (!type_is_same(a->params[i], b->params[i]))
			return diag(d, &other->pos, "D_PRINTA_AGGPROTO",
				    "printa( ) aggregations have different types of "
				    "key #%u: @%s has %s, @%s has %s",
				    i + 1, a->name, a->params[i]->name, b->name,
				    b->params[i]->name);
	return 0;
}

static int check_printa_format(struct dlang *d, const struct ast_expr *e,
			       const struct ident *agg)
{
	struct printf_values v = {.func = e->ident->name,
				  .pos = &e->pos,
				  .types = agg->params,
				  .count = agg->nparams,
				  .first = 1,
				  .has_aggs = true};

	return printf_check(d, e->args->extra, &v);
}

static int check_printa(struct dlang *d, struct ast_expr *e)
{
	bool has_format = e->args->kind != EXPR_AGG;
	struct ast_expr *first = has_format ? e->args->next : e->args;
	struct agg_arg want = {has_format ? 2 : 1, "D_PRINTA_AGGARG",
			       "D_PRINTA_AGGBAD"};
	int rc = has_format ? check_format(d, e) : 0;

	if (rc)
		return rc;
	if (!first)
		return diag(d, &e->pos, "D_PRINTA_PROTO",
			    "printa( ) prototype mismatch: no aggregation passed, at "
			    "least 1 expected");
	for (struct ast_expr *a = first; a && !rc; a = a->next, want.number++) {
		rc = check_agg_arg(d, e, a, &want);
		if (!rc && a != first)
			rc = check_joined(d, first, a);
	}
	if (!rc && has_format)
		rc = check_printa_format(d, e, first->ident);
	return rc;
}

static int check_clear(struct dlang *d, struct ast_expr *e)
{
	static const struct agg_arg want = {1, "D_CLEAR_AGGARG", "D_CLEAR_AGGBAD"};

	if (e->nargs != 1)
		return diag(d, &e->pos, "D_CLEAR_PROTO",
			    "clear( ) prototype mismatch: %u args passed, 1 expected",
			    e->nargs);
	return check_agg_arg(d, e, e->args, &want);
}

static int check_trunc(struct dlang *d, struct ast_expr *e)
{
	static const struct agg_arg want = {1, "D_TRUNC_AGGARG", "D_TRUNC_AGGBAD"};
	int rc;

	if (e->nargs < 1 || e->nargs > 2)
		return diag(d, &e->pos, "D_TRUNC_PROTO",
			    "trunc( ) prototype mismatch: %u args passed, %s expected",
			    e->nargs, e->nargs < 1 ? "at least 1" : "at most 2");
	rc = check_agg_arg(d, e, e->args, &want);
	if (rc || e->nargs == 1)
		return rc;
	rc = check_expr(d, e->args->next);
	if (!rc && !type_is_scalar(e->args->next->type))
		return diag(d, &e->args->next->pos, "D_TRUNC_SCALAR",
			    "trunc( ) argument #2 must be of scalar type");
	return rc;
}

int check_action(struct dlang *d, struct ast_expr *e)
{
	e->type = types_of(d)->t_void;
	e->flags |= EX_CHECKED;
	if (e->ident->number == ACTION_clear)
		return check_clear(d, e);
	if (e->ident->number == ACTION_trunc)
		return check_trunc(d, e);
	if (check_arg_count(d, e))
		return STATUS_SYNTAX;
	switch (e->ident->number) {
	case ACTION_trace:
		return check_trace(d, e);
	case ACTION_printf:
		return check_printf(d, e);
	case ACTION_printa:
		return check_printa(d, e);
	default:
		return check_exit(d, e);
	}
}

/* ---- statements ---- */

static int check_call_statement(struct dlang *d, struct ast_expr *e)
{
	if (check_callee(d, e))
		return STATUS_SYNTAX;
	if (e->ident->kind == IDENT_ACTION)
		return check_action(d, e);
	return check_expr(d, e);
}

static int check_statement(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *agg = e->kind == EXPR_ASSIGN ? e->left : e;

	/* @a[1][2]: an index around the aggregation. */
	if (agg->kind == EXPR_INDEX && agg->left->kind == EXPR_AGG)
		return diag(d, &agg->pos, "D_AGG_MDIM",
			    "improper attempt to reference @%s as a multi-dimensional "
			    "array",
			    agg->left->text);
	if (e->kind == EXPR_ASSIGN && e->left->kind == EXPR_AGG)
		return check_aggregate(d, e);
	if (e->kind == EXPR_AGG)
		return diag(d, &e->pos, "D_AGG_NULL", "expression has null effect: @%s",
			    e->text);
	if (e->kind == EXPR_CALL)
		return check_call_statement(d, e);
	return check_expr(d, e);
}

static int check_body(struct dlang *d, struct ast_stmt *list);

static int check_if(struct dlang *d, struct ast_stmt *s)
{
	int rc = check_expr(d, s->expr);
	int rc2, rc3;

	if (!rc && !type_is_scalar(s->expr->type))
		rc = diag(d, &s->expr->pos, "D_OP_SCALAR",
			  "condition of if must be of scalar type");
	rc2 = check_body(d, s->then);
	rc3 = check_body(d, s->otherwise);
	return rc || rc2 || rc3 ? STATUS_SYNTAX : 0;
}

/* Every statement is checked, whatever was wrong with those before it. */
static int check_body(struct dlang *d, struct ast_stmt *list)
{
	int rc = 0;

	for (struct ast_stmt *s = list; s; s = s->next)
		if (s->kind == STMT_IF ? check_if(d, s) : check_statement(d, s->expr))
			rc = STATUS_SYNTAX;
	return rc;
}

/* ---- clauses ---- */

static int check_predicate(struct dlang *d, struct ast_clause *c)
{
	enum diag_part part = diag_part(d, DIAG_PREDICATE);
	int rc = check_expr(d, c->predicate);

	if (!rc && !type_is_scalar(c->predicate->type))
		rc = diag(d, &c->predicate->pos, "D_PRED_SCALAR",
			  "predicate result must be of scalar type");
	diag_part(d, part);
	return rc;
}

static int check_actions(struct dlang *d, struct ast_clause *c)
{
	enum diag_part part = diag_part(d, DIAG_ACTIONS);
	int rc = check_body(d, c->body);

	diag_part(d, part);
	return rc;
}

/* Its left side is brought about by the expression itself: =, +=, ++ and so on. */
static bool makes_left(const struct ast_expr *e)
{
	return e->kind == EXPR_ASSIGN || e->kind == EXPR_POSTFIX ||
	       (e->kind == EXPR_UNARY && (e->op == OP_PREINC || e->op == OP_PREDEC));
}

/* Does the expression read a variable that only the body can bring about? */
static bool reads_unknown(struct dlang *d, const struct ast_expr *e)
{
	const struct ast_expr *left;

	if (!e)
		return false;
	if (e->kind == EXPR_VAR)
		return is_unknown_var(d, e);
	left = makes_left(e) ? e->left : e;
	for (const struct ast_expr *a = left->args; a; a = a->next)
		if (reads_unknown(d, a))
			return true;
	if (e->kind == EXPR_CALL)
		return false; /* the called name is no variable */
	return (!makes_left(e) && reads_unknown(d, e->left)) ||
	       reads_unknown(d, e->right) || reads_unknown(d, e->third);
}

int check_clause(struct dlang *d, struct ast_clause *c)
{
	bool body_first = reads_unknown(d, c->predicate);
	int rc = 0, rc2;

	types_of(d)->strsize = backend_strsize(d);
	if (c->predicate && !body_first)
		rc = check_predicate(d, c);
	rc2 = check_actions(d, c);
	if (c->predicate && body_first)
		rc = check_predicate(d, c);
	return rc || rc2 ? STATUS_SYNTAX : 0;
}
