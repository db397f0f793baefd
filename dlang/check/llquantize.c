/* SPDX-License-Identifier: MIT */
/*
 * llquantize(value, factor, low, high, nsteps [, increment]): checks its four parameters.
 */
#include "dlang/check/internal.h"
#include "vm/agg.h"

#define PARAMS 4

enum { FACTOR, LOW, HIGH, NSTEPS };

static const struct {
	const char *name, *tag_type, *tag_value, *tag_match;
} params[PARAMS] = {
	{"factor", "D_LLQUANT_FACTORTYPE", "D_LLQUANT_FACTORVAL",
	 "D_LLQUANT_FACTORMATCH"},
	{"low magnitude", "D_LLQUANT_LOWTYPE", "D_LLQUANT_LOWVAL",
	 "D_LLQUANT_LOWMATCH"},
	{"high magnitude", "D_LLQUANT_HIGHTYPE", "D_LLQUANT_HIGHVAL",
	 "D_LLQUANT_HIGHMATCH"},
	{"number of steps", "D_LLQUANT_NSTEPTYPE", "D_LLQUANT_NSTEPVAL",
	 "D_LLQUANT_NSTEPMATCH"},
};

static int take_params(struct dlang *d, const struct ast_expr *call,
		       uint16_t value[PARAMS])
{
	const struct ast_expr *arg = call->args->next;

	for (unsigned i = 0; i < PARAMS; i++, arg = arg->next) {
		if (!expr_is_const(arg) || !type_is_int(arg->type))
			return diag(d, &arg->pos, params[i].tag_type,
				    "llquantize( ) argument #%u (%s) must be an "
				    "integer constant",
				    i + 2, params[i].name);
		if (arg->value > UINT16_MAX)
			return diag(d, &arg->pos, params[i].tag_value,
				    "llquantize( ) argument #%u (%s) must be an "
				    "unsigned 16-bit quantity",
				    i + 2, params[i].name);
		value[i] = (uint16_t)arg->value;
	}
	return 0;
}

/* factor divides nsteps, and nsteps divides the first power of factor not below it. */
static bool is_even(uint32_t factor, uint32_t nsteps)
{
	uint64_t power = factor;

	while (power < nsteps)
		power *= factor;
	return nsteps % factor == 0 && power % nsteps == 0;
}

/* Whether factor^high fits in 64 bits. */
static bool is_in_range(uint32_t factor, uint32_t high)
{
	uint64_t power = 1;

	for (uint32_t i = 0; i < high; i++)
		if (__builtin_mul_overflow(power, (uint64_t)factor, &power))
			return false;
	return true;
}

static int check_values(struct dlang *d, const struct ast_expr *call,
			const uint16_t v[PARAMS])
{
	if (v[FACTOR] < 2)
		return diag(d, &call->pos, "D_LLQUANT_FACTORSMALL",
			    "llquantize( ) factor (argument #2) must be two or more");
	if (v[LOW] >= v[HIGH])
		return diag(d, &call->pos, "D_LLQUANT_MAGRANGE",
			    "llquantize( ) high magnitude (argument #4) must be "
			    "greater than low magnitude (argument #3)");
	if (v[NSTEPS] < v[FACTOR])
		return diag(d, &call->pos, "D_LLQUANT_FACTORNSTEPS",
			    "llquantize( ) factor (argument #2) must be less than or "
			    "equal to the number of linear steps per magnitude "
			    "(argument #5)");
	if (!is_even(v[FACTOR], v[NSTEPS]))
		return diag(d, &call->pos, "D_LLQUANT_FACTOREVEN",
			    "llquantize( ) factor (argument #2) must evenly divide the "
			    "number of steps per magnitude (argument #5), and the "
			    "number of steps a power of the factor");
	if (!is_in_range(v[FACTOR], v[HIGH]))
		return diag(d, &call->pos, "D_LLQUANT_MAGTOOBIG",
			    "llquantize( ) factor (argument #2) raised to the high "
			    "magnitude (argument #4) overflows 64 bits");
	return 0;
}

static int check_same(struct dlang *d, const struct ast_expr *call, uint64_t old,
		      uint64_t new)
{
	for (unsigned i = 0; i < PARAMS; i++) {
		uint16_t expected = (uint16_t)(old >> 16 * i);
		uint16_t found = (uint16_t)(new >> 16 * i);

		if (expected != found)
			return diag(d, &call->pos, params[i].tag_match,
				    "llquantize( ) %s (argument #%u) doesn't match "
				    "previous declaration: expected %u, found %u",
				    params[i].name, i + 2, (unsigned)expected,
				    (unsigned)found);
	}
	return 0;
}

int check_llquantize(struct dlang *d, const struct ast_expr *call, struct ident *agg)
{
	struct agg_llquantize q;
	uint16_t v[PARAMS];
	uint64_t param;

	if (take_params(d, call, v) || check_values(d, call, v))
		return STATUS_SYNTAX;
	q = (struct agg_llquantize){v[FACTOR], v[LOW], v[HIGH], v[NSTEPS]};
	param = agg_llquantize_param(&q);
	if (agg->has_param)
		return check_same(d, call, agg->param, param);
	if (!agg_words(AGG_llquantize, param))
		return diag(d, &call->pos, "D_LLQUANT_NSTEPVAL",
			    "llquantize( ) makes more than %u buckets: use fewer "
			    "steps or magnitudes",
			    AGG_WORDS_MAX);
	agg->has_param = true;
	agg->param = param;
	return 0;
}
