/* SPDX-License-Identifier: MIT */
/*
 * Calls of actions. Those that record values are in record.c.
 */
#include "dlang/check/internal.h"

static int check_exit(struct dlang *d, struct ast_expr *e)
{
	if (check_expr(d, e->args))
		return STATUS_SYNTAX;
	if (!is_compatible(d, types_of(d)->t_int, e->args))
		return bad_argument(d, e->args, e->ident->name, 1, "int");
	return 0;
}

/* The second argument of trunc() and normalize(). */
static int check_number(struct dlang *d, const struct ast_expr *e, const char *tag)
{
	struct ast_expr *arg = e->args->next;

	if (check_expr(d, arg))
		return STATUS_SYNTAX;
	if (!type_is_scalar(arg->type))
		return diag(d, &arg->pos, tag,
			    "%s( ) argument #2 must be of scalar type", e->ident->name);
	return 0;
}

static int check_clear(struct dlang *d, struct ast_expr *e)
{
	static const struct agg_arg want = {1, "D_CLEAR_AGGARG", "D_CLEAR_AGGBAD"};
	int rc = check_count(d, e, "D_CLEAR_PROTO");

	return rc ? rc : check_agg_arg(d, e, e->args, &want);
}

static int check_trunc(struct dlang *d, struct ast_expr *e)
{
	static const struct agg_arg want = {1, "D_TRUNC_AGGARG", "D_TRUNC_AGGBAD"};
	int rc = check_count(d, e, "D_TRUNC_PROTO");

	if (!rc)
		rc = check_agg_arg(d, e, e->args, &want);
	return rc || e->nargs == 1 ? rc : check_number(d, e, "D_TRUNC_SCALAR");
}

/* normalize() and denormalize() */
static int check_normalize(struct dlang *d, struct ast_expr *e)
{
	static const struct agg_arg want = {1, "D_NORMALIZE_AGGARG",
					    "D_NORMALIZE_AGGBAD"};
	int rc = check_count(d, e, "D_NORMALIZE_PROTO");

	if (!rc)
		rc = check_agg_arg(d, e, e->args, &want);
	return rc || e->nargs == 1 ? rc : check_number(d, e, "D_NORMALIZE_SCALAR");
}

int check_action(struct dlang *d, struct ast_expr *e)
{
	e->type = types_of(d)->t_void;
	e->flags |= EX_CHECKED;
	switch (e->ident->number) {
	case ACTION_clear:
		return check_clear(d, e);
	case ACTION_trunc:
		return check_trunc(d, e);
	case ACTION_normalize:
	case ACTION_denormalize:
		return check_normalize(d, e);
	default:
		break;
	}
	if (check_arg_count(d, e))
		return STATUS_SYNTAX;
	switch (e->ident->number) {
	case ACTION_exit:
		return check_exit(d, e);
	default:
		return check_record(d, e);
	}
}
