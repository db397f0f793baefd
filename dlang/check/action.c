/* SPDX-License-Identifier: MIT */
/*
 * Calls of actions. Those that record values are in record.c.
 */
#include "dlang/check/internal.h"

#include <string.h>

/* ---- types of arguments ---- */

/* Parameters with a type. All others take any value, or are checked by the rules. */
static const struct {
	enum ident_kind kind;
	uint32_t function, number;
	const char *type;
} params[] = {
	{IDENT_ACTION, ACTION_exit, 1, "int"},
	{IDENT_ACTION, ACTION_tracemem, 2, "size_t"},
	{IDENT_ACTION, ACTION_setopt, 1, "const char *"},
	{IDENT_ACTION, ACTION_setopt, 2, "const char *"},
	{IDENT_AGGFUNC, AGG_lquantize, 2, "int32_t"},
	{IDENT_AGGFUNC, AGG_lquantize, 3, "int32_t"},
	{IDENT_AGGFUNC, AGG_llquantize, 2, "int32_t"},
	{IDENT_AGGFUNC, AGG_llquantize, 3, "int32_t"},
	{IDENT_AGGFUNC, AGG_llquantize, 4, "int32_t"},
	{IDENT_AGGFUNC, AGG_llquantize, 5, "int32_t"},
};

static int check_param(struct dlang *d, const struct ast_expr *e,
		       const struct ast_expr *arg, uint32_t number)
{
	const struct ident *id = e->ident;

	for (size_t i = 0; i < ARRAY_LEN(params); i++) {
		const char *type = params[i].type;

		if (params[i].kind != id->kind || params[i].function != id->number ||
		    params[i].number != number)
			continue;
		if (!fits_parameter(d, type_parse(types_of(d), type, strlen(type)),
				    arg))
			return bad_argument(d, arg, id->name, number, type);
	}
	return 0;
}

/* Actions on aggregations, which may be defined later. */
static bool takes_aggs(const struct ident *id)
{
	return id->kind == IDENT_ACTION &&
	       (id->number == ACTION_clear || id->number == ACTION_trunc ||
		id->number == ACTION_normalize || id->number == ACTION_denormalize ||
		id->number == ACTION_printa);
}

static int check_arguments(struct dlang *d, struct ast_expr *e)
{
	bool has_aggs = takes_aggs(e->ident);
	int rc = 0;

	if (e->ident->kind == IDENT_ACTION && e->ident->number == ACTION_trace)
		check_takes_locations(e->args);
	for (struct ast_expr *a = e->args; a; a = a->next) {
		if (has_aggs)
			expr_select(d, a);
		if (has_aggs && a->kind == EXPR_AGG)
			a->type = types_of(d)->t_dyn;
		else if (check_expr(d, a))
			rc = STATUS_SYNTAX;
	}
	return rc;
}

int check_action_call(struct dlang *d, struct ast_expr *e)
{
	const struct ident *id = e->ident;
	bool has_rule = takes_aggs(id) && id->number != ACTION_printa;
	const struct ast_expr *arg = e->args;
	int rc = check_arguments(d, e);

	if (!rc && !has_rule)
		rc = check_arg_count(d, e);
	for (uint32_t number = 1; arg && !rc; number++, arg = arg->next)
		rc = check_param(d, e, arg, number);
	e->type = types_of(d)->t_void;
	return rc;
}

/* ---- rules ---- */

/* The second argument of trunc() and normalize(). */
static int check_number(struct dlang *d, const struct ast_expr *e, const char *tag)
{
	const struct ast_expr *arg = e->args->next;

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
	switch (e->ident->number) {
	case ACTION_clear:
		return check_clear(d, e);
	case ACTION_trunc:
		return check_trunc(d, e);
	case ACTION_normalize:
	case ACTION_denormalize:
		return check_normalize(d, e);
	default:
		return check_record(d, e);
	}
}
