/* SPDX-License-Identifier: MIT */
/*
 * Aggregations: @name[keys] = function(args), and aggregations as arguments of actions.
 */
#include "dlang/check/internal.h"

#include <limits.h>

/* Remembers a use of an aggregation that is not defined yet, until the program ends. */
static void note_use(struct dlang *d, struct ast_expr *call, struct ast_expr *arg,
		     const char *tag)
{
	struct scope *s = scope_of(d);
	struct agg_use *use = arena_alloc(&d->arena, sizeof(*use));

	*use = (struct agg_use){call, arg, tag, s->agg_uses};
	s->agg_uses = use;
}

int check_agg_uses(struct dlang *d)
{
	struct scope *s = scope_of(d);
	struct agg_use *uses = s->agg_uses;
	enum diag_part part = diag_part(d, DIAG_ACTIONS);
	int rc = 0;

	s->agg_uses = NULL;
	for (const struct agg_use *u = uses; u; u = u->next)
		if (!u->arg->ident->has_func)
			rc = diag(d, &u->arg->pos, u->tag, "undefined aggregation: @%s",
				  u->arg->text);
	for (const struct agg_use *u = uses; u && !rc; u = u->next)
		if (u->call->ident->number == ACTION_printa)
			rc = check_printa_keys(d, u->call);
	diag_part(d, part);
	return rc;
}

int check_agg_arg(struct dlang *d, struct ast_expr *call, struct ast_expr *arg,
		  const struct agg_arg *want)
{
	const char *func = call->ident->name;

	if (arg->kind != EXPR_AGG)
		return diag(d, &arg->pos, want->tag_kind,
			    "%s( ) argument #%u is incompatible with prototype:\n"
			    "\tprototype: aggregation\n\t argument: %s",
			    func, want->number, expr_type_name(arg));
	if (arg->has_brackets)
		return diag(d, &arg->pos, want->tag_kind,
			    "%s( ) argument #%u is incompatible with prototype:\n"
			    "\tprototype: aggregation\n\t argument: element of @%s",
			    func, want->number, arg->text);
	arg->ident = scope_find_agg(scope_of(d), arg->text);
	arg->type = types_of(d)->t_dyn;
	if (!arg->ident)
		arg->ident = scope_add_agg(scope_of(d), arg->text, arg->pos);
	if (!arg->ident->has_func)
		note_use(d, call, arg, want->tag_unknown);
	return 0;
}

/* ---- lquantize ---- */

struct lquant {
	int64_t base, limit, step;
};

static int32_t param_base(uint64_t param)
{
	return (int32_t)(uint32_t)param;
}

static uint32_t param_step(uint64_t param)
{
	return param >> 32 & 0xffff;
}

static uint32_t param_levels(uint64_t param)
{
	return (uint32_t)(param >> 48);
}

static int check_bound(struct dlang *d, const struct ast_expr *arg, uint32_t number,
		       const char *tag_type, const char *tag_value)
{
	if (!expr_is_const(arg) || !type_is_int(arg->type))
		return diag(d, &arg->pos, tag_type,
			    "lquantize( ) argument #%u must be an integer constant",
			    number);
	if ((int64_t)arg->value < INT32_MIN || (int64_t)arg->value > INT32_MAX)
		return diag(d, &arg->pos, tag_value,
			    "lquantize( ) argument #%u must be a 32-bit quantity",
			    number);
	return 0;
}

static int check_step_arg(struct dlang *d, const struct ast_expr *arg)
{
	if (!expr_is_const(arg) || !type_is_int(arg->type) || arg->value == 0 ||
	    (type_is_signed(arg->type) && (int64_t)arg->value < 0))
		return diag(
			d, &arg->pos, "D_LQUANT_STEPTYPE",
			"lquantize( ) argument #4 must be a non-zero positive integer "
			"constant");
	if (arg->value > UINT16_MAX)
		return diag(d, &arg->pos, "D_LQUANT_STEPVAL",
			    "lquantize( ) argument #4 must be a 16-bit quantity");
	return 0;
}

static int check_levels(struct dlang *d, const struct ast_expr *e,
			const struct lquant *q)
{
	int64_t levels = (q->limit - q->base) / q->step;

	if (levels == 0)
		return diag(
			d, &e->pos, "D_LQUANT_STEPLARGE",
			"lquantize( ) step (argument #4) too large: no buckets between "
			"base and limit");
	if (levels > UINT16_MAX)
		return diag(d, &e->pos, "D_LQUANT_STEPSMALL",
			    "lquantize( ) step (argument #4) too small: number of "
			    "quantization levels must be a 16-bit quantity");
	return 0;
}

/*
 * Against the first use. Limits with the same number of levels are the same, even if
 * they are written differently.
 */
static int check_same(struct dlang *d, const struct ast_expr *e,
		      const struct ident *agg, const struct lquant *q)
{
	const int64_t old_base = param_base(agg->param);
	const int64_t old_step = param_step(agg->param);
	const int64_t old_end = old_base + param_levels(agg->param) * old_step;
	const int64_t end = q->base + (q->limit - q->base) / q->step * q->step;
	const struct {
		const char *tag, *what;
		int64_t expected, found;
	} parts[] = {
		{"D_LQUANT_MATCHBASE", "base (argument #2)", old_base, q->base},
		{"D_LQUANT_MATCHLIM", "limit (argument #3)", agg->value,
		 end == old_end ? agg->value : q->limit},
		{"D_LQUANT_MATCHSTEP", "step (argument #4)", old_step, q->step},
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i].expected != parts[i].found)
			return diag(
				d, &e->pos, parts[i].tag,
				"lquantize( ) %s doesn't match previous declaration: "
				"expected %lld, found %lld",
				parts[i].what, (long long)parts[i].expected,
				(long long)parts[i].found);
	return 0;
}

static int check_lquantize(struct dlang *d, const struct ast_expr *call,
			   struct ident *agg)
{
	const struct ast_expr *base = call->args->next, *limit = base->next;
	const struct ast_expr *step = limit->next;
	struct lquant q = {.step = 1};

	if (check_bound(d, base, 2, "D_LQUANT_BASETYPE", "D_LQUANT_BASEVAL") ||
	    check_bound(d, limit, 3, "D_LQUANT_LIMTYPE", "D_LQUANT_LIMVAL"))
		return STATUS_SYNTAX;
	q.base = (int64_t)base->value;
	q.limit = (int64_t)limit->value;
	if (q.base >= q.limit)
		return diag(d, &call->pos, "D_LQUANT_MISMATCH",
			    "lquantize( ) base (argument #2) must be less than limit "
			    "(argument #3)");
	if (step && check_step_arg(d, step))
		return STATUS_SYNTAX;
	if (step)
		q.step = (int64_t)step->value;
	if (check_levels(d, call, &q))
		return STATUS_SYNTAX;
	if (agg->has_param)
		return check_same(d, call, agg, &q);
	agg->has_param = true;
	agg->value = q.limit;
	agg->param = (uint64_t)((q.limit - q.base) / q.step) << 48 |
		     (uint64_t)q.step << 32 | (uint32_t)q.base;
	return 0;
}

/* ---- the statement ---- */

/* The increment is the argument after the parameters. */
static int check_increment(struct dlang *d, const struct ast_expr *call)
{
	const struct ident *func = call->ident;
	uint32_t at = agg_increment_at((enum agg_func)func->number);
	const struct ast_expr *arg = call->args;

	for (uint32_t i = at; arg && i > 0; i--)
		arg = arg->next;
	if (arg && !type_is_scalar(arg->type))
		return bad_argument(d, arg, func->name, at + 1, "int64_t");
	return 0;
}

/* The right side must be a call of an aggregating function. */
static int check_agg_func(struct dlang *d, const struct ast_expr *e)
{
	const struct ast_expr *call = e->right;

	if (e->op != AST_OP_ASSIGN || call->kind != EXPR_CALL ||
	    call->ident->kind != IDENT_AGGFUNC)
		return diag(
			d, &e->left->pos, "D_AGG_FUNC",
			"@%s must be assigned the result of an aggregating function",
			e->left->text);
	if (call->args && !type_is_scalar(call->args->type))
		return diag(d, &call->args->pos, "D_AGG_SCALAR",
			    "%s( ) argument #1 must be of scalar type",
			    call->ident->name);
	return check_increment(d, call);
}

static int check_redefined(struct dlang *d, const struct ast_expr *e,
			   const struct ident *agg)
{
	static const char *const names[] = {
#define AGGFUNC(name, words) #name,
#include "vm/agg.def"
#undef AGGFUNC
	};
	const struct ident *func = e->right->ident;

	if (!agg->has_func || agg->func == func->number)
		return 0;
	return diag(d, &e->pos, "D_AGG_REDEF",
		    "aggregation redefined: @%s\n\t current: @%s = %s( )\n"
		    "\tprevious: @%s = %s( ) : line %u",
		    agg->name, agg->name, func->name, agg->name, names[agg->func],
		    agg->where.line);
}

/* The part of the aggregation that the checked keys belong to. */
static struct ident *find_variant(struct dlang *d, const struct ast_expr *left,
				  struct ident *agg)
{
	const struct type **types =
		arena_alloc(&d->arena, (left->nargs + 1) * sizeof(*types));
	uint32_t n = 0;

	for (const struct ast_expr *key = left->args; key; key = key->next)
		types[n++] = key->type;
	return scope_agg_variant(scope_of(d), agg, types);
}

int check_aggregate(struct dlang *d, struct ast_expr *e)
{
	struct ast_expr *left = e->left, *call = e->right;
	struct ident *agg;
	int rc, rc2;

	check_takes_locations(left->args);
	rc = check_list(d, left->args);
	if (!rc)
		rc = check_usable_keys(d, left->args, IDENT_AGG);
	rc2 = check_expr(d, call);
	if (rc || rc2 || check_agg_func(d, e))
		return STATUS_SYNTAX;
	agg = scope_find_agg(scope_of(d), left->text);
	if (!agg)
		agg = scope_add_agg(scope_of(d), left->text, left->pos);
	rc = check_redefined(d, e, agg);
	if (!rc)
		rc = check_keys(d, left, left->args, left->nargs, agg);
	if (rc)
		return rc;
	if (!agg->has_func)
		agg->where = left->pos;
	agg->has_func = true;
	agg->func = (enum agg_func)call->ident->number;
	left->ident = find_variant(d, left, agg);
	left->type = e->type = types_of(d)->t_dyn;
	return 0;
}

int check_aggregate_rules(struct dlang *d, struct ast_expr *e)
{
	struct ident *agg = e->left->ident;

	if (e->right->ident->number == AGG_lquantize)
		return check_lquantize(d, e->right, agg);
	if (e->right->ident->number == AGG_llquantize)
		return check_llquantize(d, e->right, agg);
	return 0;
}
