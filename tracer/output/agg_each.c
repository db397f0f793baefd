/* SPDX-License-Identifier: MIT */
/*
 * The rows of a snapshot, value by value, for those that do not print them as text.
 */
#include "tracer/output/agg_table.h"
#include "tracer/output/agg_view.h"

static struct agg_value value_of(const struct agg_view *v, const struct row *r,
				 uint32_t number)
{
	const struct program_agg *a = agg_of(v, number), *keys = agg_of(v, r->keys);
	const uint64_t *column = column_at(v, r, number);

	return (struct agg_value){
		.agg = a,
		.number = number,
		.name = program_string(v->config.image, a->name),
		.words = column[0] ? column + 1 : NULL,
		.factor = v->factors[number],
		.row_key = key_at(v, r),
		.key_size = r->key_size,
		.keys = program_field(v->config.image, keys->first_key),
		.nkeys = keys->nkeys,
	};
}

void agg_view_each(const struct agg_view *v,
		   void (*each)(void *ctx, const struct agg_value *x), void *ctx)
{
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct row *r = &v->rows.data[i];
		struct agg_value x;

		for (uint32_t k = 0; k < v->ncolumns; k++) {
			x = value_of(v, r, v->aggs[k]);
			each(ctx, &x);
		}
		if (v->ncolumns == 0) {
			x = value_of(v, r, r->group);
			each(ctx, &x);
		}
	}
}

int64_t agg_value_number(const struct agg_value *x)
{
	const uint64_t *words = x->words;

	return words ? agg_view_scalar(x->agg, words - 1, x->factor) : 0;
}

bool agg_value_key(const struct agg_value *x, uint32_t i, size_t *pos,
		   struct tuple_value *key)
{
	return i < x->nkeys &&
	       tuple_next(x->row_key, x->key_size, pos, &x->keys[i], key) == 0;
}
