/* SPDX-License-Identifier: MIT */
/*
 * Sorts the rows of a snapshot, and computes the numbers that it compares.
 */
#include "tracer/aggs/agg_table.h"

#include <stdlib.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* floor(sqrt(v)) */
static uint64_t root(uint128 v)
{
	uint128 low = 0;

	for (unsigned bit = 64; bit-- > 0;) {
		uint128 next = low | (uint128)1 << bit;

		if (next * next <= v)
			low = next;
	}
	return (uint64_t)low;
}

/*
 * Population standard deviation from count, sum and sum of squares: the square root of
 * (mean of squares - square of the mean), both means as integers.
 */
static int64_t deviation(const uint64_t *value, uint64_t factor)
{
	int128 mean = (int64_t)value[1] / (int128)(int64_t)factor / value[0];
	uint128 squares = (uint128)value[3] << 64 | value[2];
	uint64_t scale = (int64_t)factor < 0 ? 0 - factor : factor;

	squares = squares / scale / value[0] / scale;
	if (squares < (uint128)(mean * mean))
		return 0;
	return (int64_t)root(squares - (uint128)(mean * mean));
}

int64_t agg_view_scalar(const struct program_agg *a, const uint64_t *column,
			uint64_t factor)
{
	const uint64_t *value = column + 1;

	if (!column[0])
		return 0;
	if (factor == 0)
		factor = 1;
	if (a->func == AGG_avg)
		/* A count of UINT64_MAX: the target overwrote its shard. */
		return value[0] && value[0] != UINT64_MAX
			       ? hist_divide((uint64_t)hist_divide(value[1], factor),
					     value[0])
			       : 0;
	if (a->func == AGG_stddev)
		return value[0] ? deviation(value, factor) : 0;
	return hist_divide(value[0], factor);
}

static int compare_column(const struct agg_view *v, const struct row *a,
			  const struct row *b, uint32_t agg)
{
	const struct program_agg *p = agg_of(v, agg);
	const uint64_t *left = column_at(v, a, agg), *right = column_at(v, b, agg);

	if (hist_is(p))
		return hist_compare(p, left + 1, right + 1);
	return compare_i64(agg_view_scalar(p, left, 1), agg_view_scalar(p, right, 1));
}

/* All columns of the group from the chosen one on, wrapping around. */
static int compare_values(const struct agg_view *v, const struct row *a,
			  const struct row *b, uint64_t from)
{
	int order = 0;

	if (v->ncolumns == 0)
		return compare_column(v, a, b, a->group);
	if (from >= v->ncolumns)
		from = 0;
	for (uint32_t i = 0; i < v->ncolumns && !order; i++)
		order = compare_column(v, a, b, v->aggs[(from + i) % v->ncolumns]);
	return order;
}

/* Process id, then address. */
static int compare_symbols(const char *a, const char *b)
{
	uint64_t left[2], right[2];

	memcpy(left, a, sizeof(left));
	memcpy(right, b, sizeof(right));
	return left[0] != right[0] ? compare_u64(left[0], right[0])
				   : compare_u64(left[1], right[1]);
}

/* The bytes of an integer, as an unsigned number. */
static uint64_t number_of(const struct tuple_value *v)
{
	return v->number & UINT64_MAX >> (64 - 8 * v->field->size);
}

static int compare_field(const struct tuple_value *a, const struct tuple_value *b)
{
	int order;

	if (a->field->kind == KIND_INT) {
		order = compare_u64(number_of(a), number_of(b));
		return order ? order : compare_u64(a->field->size, b->field->size);
	}
	if (a->field->show >= SHOW_SYM && a->len == 16 && b->len == 16)
		return compare_symbols(a->bytes, b->bytes);
	order = memcmp(a->bytes, b->bytes, min_u64(a->len, b->len));
	return order ? order : compare_u64(a->len, b->len);
}

/* The n-th key of a row; false if the row is damaged. */
static bool key_field(const struct agg_view *v, const struct row *r, uint32_t n,
		      struct tuple_value *out)
{
	const struct program_agg *a = agg_of(v, r->keys);
	size_t pos = 0;

	for (uint32_t i = 0; i <= n; i++)
		if (tuple_next(key_at(v, r), r->key_size, &pos,
			       program_field(v->config.image, a->first_key + i), out))
			return false;
	return true;
}

static int compare_keys(const struct agg_view *v, const struct row *a,
			const struct row *b, uint64_t from)
{
	uint32_t n = agg_of(v, a->group)->nkeys;
	struct tuple_value left, right;
	int order = 0;

	if (from >= n)
		from = 0;
	for (uint32_t i = 0; i < n && !order; i++) {
		uint32_t key = (uint32_t)((from + i) % n);

		if (!key_field(v, a, key, &left) || !key_field(v, b, key, &right))
			return 0;
		order = compare_field(&left, &right);
	}
	return order;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct agg_view *v = ctx;
	const struct options *opt = v->config.options;
	const struct row *left = a, *right = b;
	int order = compare_u64(left->group, right->group);

	if (!order && !opt->aggsortkey)
		order = compare_values(v, left, right, opt->aggsortpos);
	if (!order)
		order = compare_keys(v, left, right, opt->aggsortkeypos);
	if (!order && opt->aggsortkey)
		order = compare_values(v, left, right, opt->aggsortpos);
	return opt->aggsortrev ? -order : order;
}

static int compare_plain(const void *a, const void *b, void *ctx)
{
	const struct agg_view *v = ctx;
	int order = compare_values(v, a, b, 0);

	return order ? order : compare_keys(v, a, b, 0);
}

static void sort_rows(struct agg_view *v,
		      int (*compare)(const void *, const void *, void *))
{
	if (v->rows.len)
		qsort_r(v->rows.data, v->rows.len, sizeof(*v->rows.data), compare, v);
}

void agg_view_sort(struct agg_view *v)
{
	sort_rows(v, compare_rows);
}

void agg_view_sort_plain(struct agg_view *v)
{
	sort_rows(v, compare_plain);
}

/* compare_plain() looks at one aggregation. */
static int compare_largest(const void *a, const void *b, void *ctx)
{
	const struct row *x = a, *y = b;

	if (x->group != y->group)
		return compare_u64(x->group, y->group);
	return compare_plain(b, a, ctx);
}

void agg_view_sort_largest(struct agg_view *v)
{
	sort_rows(v, compare_largest);
}
