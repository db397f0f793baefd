/* SPDX-License-Identifier: MIT */
/*
 * Where actions may be called. A call of an action is typed as void wherever it is; what
 * holds it has refused that. What is left of such calls in expressions is refused here,
 * after all other checks of the clause.
 */
#include "dlang/check/internal.h"

#include "dlang/check/xlate.h"

/* Whether only a statement may make the call. */
static bool is_statement_call(const struct ast_expr *e)
{
	const struct ident *id = e->ident;

	if (id->kind == IDENT_SUBR && id->flags & SUBR_LOCATION)
		return !(e->flags & EX_LOCATION);
	return ident_is_action(id) || id->kind == IDENT_AGGFUNC;
}

static int check_within(struct dlang *d, const struct ast_expr *e);

static int check_children(struct dlang *d, const struct ast_expr *e)
{
	const struct ast_expr *children[] = {e->left, e->right, e->third};
	int rc = 0;

	/* The left side of a call is its name. */
	for (size_t i = e->kind == EXPR_CALL ? 1 : 0; i < ARRAY_LEN(children); i++)
		if (children[i] && check_within(d, children[i]))
			rc = STATUS_SYNTAX;
	for (const struct ast_expr *a = e->args; a; a = a->next)
		if (check_within(d, a))
			rc = STATUS_SYNTAX;
	return rc;
}

/* e is part of an expression. */
static int check_within(struct dlang *d, const struct ast_expr *e)
{
	const struct ident *id = e->ident;

	if (e->kind != EXPR_CALL || !id || !is_statement_call(e))
		return check_children(d, e);
	return diag(d, &e->pos, "D_CG_EXPR",
		    "%s %s( ) may not be called from a D expression (D program "
		    "context required)",
		    id->kind == IDENT_SUBR ? "tracing function" : ident_kind_name(id),
		    id->name);
}

static int check_statement(struct dlang *d, const struct ast_expr *e)
{
	bool is_agg = e->kind == EXPR_ASSIGN && e->left->kind == EXPR_AGG;

	if (is_agg)
		return check_children(d, e->left) | check_children(d, e->right)
			       ? STATUS_SYNTAX
			       : 0;
	if (e->kind == EXPR_CALL && e->ident && e->ident->kind != IDENT_AGGFUNC)
		return check_children(d, e);
	return check_within(d, e) ? STATUS_SYNTAX : xlate_refuse(d, e);
}

static int check_list_context(struct dlang *d, const struct ast_stmt *list)
{
	int rc = 0;

	for (const struct ast_stmt *s = list; s; s = s->next) {
		bool is_bad;

		if (s->kind == STMT_IF) {
			is_bad = check_within(d, s->expr);
			is_bad |= check_list_context(d, s->then) != 0;
			is_bad |= check_list_context(d, s->otherwise) != 0;
		} else {
			is_bad = check_statement(d, s->expr);
		}
		if (is_bad)
			rc = STATUS_SYNTAX;
	}
	return rc;
}

int check_predicate_context(struct dlang *d, const struct ast_expr *predicate)
{
	return check_within(d, predicate);
}

int check_body_context(struct dlang *d, const struct ast_stmt *body)
{
	return check_list_context(d, body);
}
