/* SPDX-License-Identifier: MIT */
/*
 * The rows of a snapshot, value by value, for those that do not print them as text.
 */
#include "tracer/aggs/agg_table.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/base/text.h"
#include "tracer/output/ustack.h"

#include <inttypes.h>
#include <string.h>

struct agg_value agg_view_value(const struct agg_view *v, const struct row *r,
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
		.total = v->totals[number],
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
			if (!agg_view_is_new(v, k))
				continue;
			x = agg_view_value(v, r, v->aggs[k]);
			each(ctx, &x);
		}
		if (v->ncolumns == 0) {
			x = agg_view_value(v, r, r->group);
			each(ctx, &x);
		}
	}
}

int64_t agg_value_number(const struct agg_value *x)
{
	const uint64_t *words = x->words;

	return words ? agg_view_scalar(x->agg, words - 1, x->factor) : 0;
}

bool agg_adds_up(const struct program_agg *a)
{
	return a->func == AGG_count || a->func == AGG_sum;
}

bool agg_value_share(const struct agg_value *x, double *percent)
{
	if (!agg_adds_up(x->agg) || x->total <= 0)
		return false;
	*percent = 0;
	if (x->words)
		*percent = 100.0 * (double)(int64_t)x->words[0] / (double)x->total;
	return true;
}

bool agg_value_key(const struct agg_value *x, uint32_t i, size_t *pos,
		   struct tuple_value *key)
{
	return i < x->nkeys &&
	       tuple_next(x->row_key, x->key_size, pos, &x->keys[i], key) == 0;
}

/* ---- folded stacks ---- */

bool agg_value_has_stack(const struct agg_value *x)
{
	for (uint32_t i = 0; i < x->nkeys; i++)
		if (x->keys[i].show >= SHOW_STACK && x->keys[i].show <= SHOW_JSTACK)
			return true;
	return false;
}

bool agg_has_stacks(const void *image, uint32_t agg)
{
	const struct program_agg *a = program_agg(image, agg);
	const struct agg_value keys = {.keys = program_field(image, a->first_key),
				       .nkeys = a->nkeys};

	return !a->variant_of && (a->func == AGG_count || a->func == AGG_sum) &&
	       agg_value_has_stack(&keys);
}

/* The bytes of a string, or of a struct up to its last one that is not 0. */
static size_t shown_length(const struct tuple_value *v)
{
	size_t n = v->len;

	if (v->field->kind == KIND_STR)
		return strnlen(v->bytes, n);
	while (n && !v->bytes[n - 1])
		n--;
	return n;
}

static void fold_plain(const struct tuple_value *v, struct strbuf *to)
{
	size_t n;

	if (v->field->kind == KIND_INT && v->field->is_signed) {
		strbuf_printf(to, "%" PRId64, (int64_t)v->number);
		return;
	}
	if (v->field->kind == KIND_INT) {
		strbuf_printf(to, "%" PRIu64, v->number);
		return;
	}
	n = shown_length(v);
	if (v->field->show == SHOW_FLOAT)
		strbuf_printf(to, "%Lg", format_float(v));
	else if (n)
		text_add_frame(to, v->bytes, n);
	else
		strbuf_puts(to, "[empty]");
}

void agg_key_fold(const struct tuple_value *key, struct ustack *u, struct strbuf *to)
{
	if (!program_is_location(key->field))
		fold_plain(key, to);
	else if (u)
		ustack_fold(u, key, 0, to);
}

/* The keys that are stacks, or those that are not. */
static bool fold_some(const struct agg_value *x, struct ustack *u, bool stacks,
		      struct strbuf *to)
{
	struct tuple_value v;
	size_t pos = 0;

	for (uint32_t i = 0; i < x->nkeys; i++) {
		bool is_location;

		if (!agg_value_key(x, i, &pos, &v))
			return false;
		is_location = program_is_location(v.field);
		if ((is_location && ustack_is_stack(&v)) != stacks ||
		    (is_location && !u))
			continue;
		if (to->len)
			strbuf_putc(to, ';');
		agg_key_fold(&v, u, to);
	}
	return true;
}

bool agg_value_fold(const struct agg_value *x, struct ustack *u, struct strbuf *to)
{
	return fold_some(x, u, false, to) && fold_some(x, u, true, to);
}
