/* SPDX-License-Identifier: MIT */
/*
 * The processes that a predicate names by constants: /pid == $1 && arg0 > 3/. Scripts
 * that trace a whole machine choose their processes so.
 *
 *	a && b	 what either names
 *	a || b	 what both name; a constant 0 names nothing and admits nothing
 *	c ? a : b   with a constant c: the branch that is taken
 */
#include "dlang/base/diag.h"
#include "dlang/check/check.h"
#include "dlang/check/scope.h"
#include "vm/builtin.h"

#include <string.h>

struct naming {
	struct dlang *d;
	const struct ast_clause *clause;
	bool is_told; /* env.process() is called; else they are only looked for */
	int rc;
};

static bool visit(struct naming *n, const struct ast_expr *e);

static bool is_builtin(const struct ast_expr *e, enum builtin id)
{
	return e->kind == EXPR_VAR && e->ident && e->ident->kind == IDENT_BUILTIN &&
	       e->ident->number == (uint32_t)id;
}

static bool is_call(const struct ast_expr *e, const char *subr)
{
	return e->kind == EXPR_CALL && e->nargs == 1 && e->ident &&
	       e->ident->kind == IDENT_SUBR && strcmp(e->ident->name, subr) == 0;
}

/* Whether value is the number of a process; it is told with the relation. */
static bool names(struct naming *n, enum dlang_relation relation,
		  const struct ast_expr *value)
{
	const struct dlang *d = n->d;
	struct err e = {0};

	if (!expr_is_const(value) || value->value == 0 || value->value > INT32_MAX)
		return false;
	if (n->is_told && !n->rc &&
	    d->env.process(d->env.ctx, n->clause->index, relation, (int)value->value,
			   &e))
		n->rc = diag_err(n->d, &value->pos, &e);
	return true;
}

static bool visit_equality(struct naming *n, const struct ast_expr *a,
			   const struct ast_expr *b)
{
	if (is_builtin(a, BUILTIN_pid))
		return names(n, DLANG_PROCESS, b);
	return is_builtin(a, BUILTIN_ppid) && names(n, DLANG_CHILDREN, b);
}

static bool is_false(const struct ast_expr *e)
{
	return expr_is_const(e) && e->value == 0;
}

/* Both sides are looked at before one is told: half of it would be wrong. */
static bool visit_or(struct naming *n, const struct ast_expr *e)
{
	bool is_told = n->is_told, both;

	n->is_told = false;
	both = visit(n, e->left) && visit(n, e->right);
	n->is_told = is_told;
	if (both && is_told) {
		visit(n, e->left);
		visit(n, e->right);
	}
	return both;
}

static bool visit_and(struct naming *n, const struct ast_expr *e)
{
	bool left, right;

	if (is_false(e->left) || is_false(e->right))
		return true;
	left = visit(n, e->left);
	right = visit(n, e->right);
	return left || right;
}

/* Whether the expression is true only in processes that it names. */
static bool visit(struct naming *n, const struct ast_expr *e)
{
	if (is_false(e))
		return true;
	if (is_call(e, "progenyof"))
		return names(n, DLANG_PROGENY, e->args);
	if (e->kind == EXPR_COND && expr_is_const(e->left))
		return visit(n, e->left->value ? e->right : e->third);
	if (e->kind != EXPR_BINARY)
		return false;
	if (e->op == AST_OP_LAND)
		return visit_and(n, e);
	if (e->op == AST_OP_LOR)
		return visit_or(n, e);
	return e->op == AST_OP_EQ && (visit_equality(n, e->left, e->right) ||
				      visit_equality(n, e->right, e->left));
}

int check_processes(struct dlang *d, const struct ast_clause *c)
{
	struct naming n = {.d = d, .clause = c, .is_told = true};
	enum diag_part part;

	if (!c->predicate || !d->env.process)
		return 0;
	part = diag_part(d, DIAG_PREDICATE);
	visit(&n, c->predicate);
	diag_part(d, part);
	return n.rc;
}
