/* SPDX-License-Identifier: MIT */
/*
 * Clauses and their statements.
 */
#include "dlang/check/internal.h"

/*
 * A body is checked in passes, as DTrace does, so that the first error is the one that
 * it reports: the types of all statements, then the rules of each action, the order of
 * actions, and in the end where actions are called from.
 */

/* ---- types ---- */

static int check_statement(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *agg;

	expr_select(d, e);
	agg = e->kind == EXPR_ASSIGN ? e->left : e;
	/* @a[1][2]: an index around the aggregation. */
	if (agg->kind == EXPR_INDEX && agg->left->kind == EXPR_AGG)
		return diag(d, &agg->pos, "D_AGG_MDIM",
			    "improper attempt to reference @%s as a multi-dimensional "
			    "array",
			    agg->left->text);
	if (e->kind == EXPR_ASSIGN && e->left->kind == EXPR_AGG)
		return check_aggregate(d, e);
	/* whether there is such an aggregation or not */
	if (e->kind == EXPR_AGG)
		return diag(d, &e->pos, "D_AGG_NULL", "expression has null effect: @%s",
			    e->text);
	if (e->kind == EXPR_CALL)
		check_takes_locations(e);
	return check_expr(d, e) ? STATUS_SYNTAX : 0;
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

/* Checks all statements, also after an error. */
static int check_body(struct dlang *d, struct ast_stmt *list)
{
	int rc = 0;

	for (struct ast_stmt *s = list; s; s = s->next) {
		if (s->kind == STMT_IF) {
			rc |= check_if(d, s);
		} else if (check_statement(d, s->expr)) {
			s->expr->kind = EXPR_ERROR;
			rc = STATUS_SYNTAX;
		}
	}
	return rc;
}

/* ---- rules ---- */

static int check_rules(struct dlang *d, struct ast_stmt *list);

static int check_statement_rules(struct dlang *d, struct ast_stmt *s)
{
	struct ast_expr *e = s->expr;

	if (s->kind == STMT_IF)
		return check_rules(d, s->then) | check_rules(d, s->otherwise);
	if (e->kind == EXPR_ASSIGN && e->left->kind == EXPR_AGG)
		return check_aggregate_rules(d, e);
	if (e->kind == EXPR_CALL && e->ident->kind == IDENT_ACTION)
		return check_action(d, e);
	return 0;
}

/* Checks the statements whose types are right. */
static int check_rules(struct dlang *d, struct ast_stmt *list)
{
	int rc = 0;

	for (struct ast_stmt *s = list; s; s = s->next)
		rc |= check_statement_rules(d, s);
	return rc ? STATUS_SYNTAX : 0;
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
	int rc = check_body(d, c->body), rc2 = check_rules(d, c->body);

	if (rc == 0 && rc2 == 0)
		rc = check_order(d, c->body);
	diag_part(d, part);
	return rc || rc2 ? STATUS_SYNTAX : 0;
}

/* Whether the expression defines its left side: =, +=, ++ and so on. */
static bool defines_left(const struct ast_expr *e)
{
	return e->kind == EXPR_ASSIGN || e->kind == EXPR_POSTFIX ||
	       (e->kind == EXPR_UNARY &&
		(e->op == AST_OP_PREINC || e->op == AST_OP_PREDEC));
}

/* Whether the expression reads a variable that is not defined: the body may define it. */
static bool reads_undefined(struct dlang *d, const struct ast_expr *e)
{
	const struct ast_expr *left;

	if (!e)
		return false;
	if (e->kind == EXPR_VAR)
		return is_undefined_var(d, e);
	left = defines_left(e) ? e->left : e;
	for (const struct ast_expr *a = left->args; a; a = a->next)
		if (reads_undefined(d, a))
			return true;
	if (e->kind == EXPR_CALL)
		return false; /* the called name is no variable */
	return (!defines_left(e) && reads_undefined(d, e->left)) ||
	       reads_undefined(d, e->right) || reads_undefined(d, e->third);
}

/* In a clause without errors: calls that only statements may make. */
static int check_contexts(struct dlang *d, const struct ast_clause *c)
{
	enum diag_part part = diag_part(d, DIAG_PREDICATE);
	int rc = c->predicate ? check_predicate_context(d, c->predicate) : 0;
	int rc2;

	diag_part(d, DIAG_ACTIONS);
	rc2 = check_body_context(d, c->body);
	diag_part(d, part);
	return rc || rc2 ? STATUS_SYNTAX : 0;
}

static int check_parts(struct dlang *d, struct ast_clause *c)
{
	bool body_first = reads_undefined(d, c->predicate);
	int rc = 0, rc2;

	if (c->predicate && !body_first)
		rc = check_predicate(d, c);
	rc2 = check_actions(d, c);
	if (c->predicate && body_first)
		rc = check_predicate(d, c);
	return rc || rc2 ? STATUS_SYNTAX : check_contexts(d, c);
}

int check_clause(struct dlang *d, struct ast_clause *c)
{
	int rc;

	d->checker->in_clause = true;
	d->checker->clause = c;
	check_begin(d);
	stability_begin_clause(d);
	rc = check_parts(d, c);
	stability_end_clause(d, c);
	d->checker->in_clause = false;
	return rc;
}
