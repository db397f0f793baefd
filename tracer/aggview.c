/* SPDX-License-Identifier: MIT */
/*
 * A snapshot is taken anew for each use, from the shards as they stand. It is
 * a table of rows: those of one group share their key types, and each row has
 * the values of all aggregations (columns) of its group.
 *
 *	printa(@a, @b)   one group with the columns a, b
 *	at the end       one group with one column for each aggregation
 *
 * A column in a row is one word, not 0 if the aggregation has a value under
 * this key, then its value.
 */
#include "tracer/aggview.h"
#include "tracer/hist.h"
#include "tracer/value.h"
#include "vm/agg.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"
#include "vm/tuple.h"

#include <stdlib.h>
#include <string.h>

#define ABSENT UINT32_MAX

struct column {
	uint32_t group;	 /* ABSENT: not part of the snapshot */
	uint32_t offset; /* in the values of a row, words */
};

struct row {
	uint32_t group; /* number of its (first) aggregation */
	uint32_t key_size;
	uint64_t hash;
	size_t key, values; /* offsets in bytes */
};

struct aggview {
	struct aggview_config config;
	uint32_t naggs;
	bool *is_printed;	/* by aggregation */
	struct column *columns; /* by aggregation */
	uint32_t *row_words;	/* by group: words of all its columns */
	const uint32_t *aggs; /* of the group being printed: borrowed from the caller */
	uint32_t ncolumns;
	struct {
		struct row *data;
		size_t len, cap;
	} rows;
	struct strbuf bytes; /* keys and values; all offsets multiples of 8 */
	struct {
		uint32_t *data; /* row number + 1, 0 empty */
		size_t cap;	/* a power of two */
	} index;
	struct strbuf scratch;
};

struct aggview *aggview_new(const struct aggview_config *config)
{
	struct aggview *v = oom_calloc(1, sizeof(*v));
	size_t n;

	v->config = *config;
	v->naggs = program_count(config->image, SECTION_AGG);
	n = v->naggs + 1;
	v->is_printed = oom_calloc(n, sizeof(*v->is_printed));
	v->columns = oom_calloc(n, sizeof(*v->columns));
	v->row_words = oom_calloc(n, sizeof(*v->row_words));
	return v;
}

void aggview_free(struct aggview *v)
{
	if (!v)
		return;
	free(v->is_printed);
	free(v->columns);
	free(v->row_words);
	vec_release(&v->rows);
	strbuf_release(&v->bytes);
	free(v->index.data);
	strbuf_release(&v->scratch);
	free(v);
}

static const struct program_agg *agg_of(const struct aggview *v, uint32_t agg)
{
	return program_agg(v->config.image, agg);
}

/* The column of an aggregation in a row: presence, then the value. */
static uint64_t *column_at(const struct aggview *v, const struct row *r, uint32_t agg)
{
	return (uint64_t *)(void *)(v->bytes.data + r->values) + v->columns[agg].offset;
}

static const char *key_at(const struct aggview *v, const struct row *r)
{
	return v->bytes.data + r->key;
}

/* ---- taking a snapshot ---- */

static void reset(struct aggview *v)
{
	for (uint32_t i = 0; i < v->naggs; i++)
		v->columns[i].group = ABSENT;
	memset(v->row_words, 0, v->naggs * sizeof(*v->row_words));
	v->rows.len = 0;
	strbuf_reset(&v->bytes);
	if (v->index.cap)
		memset(v->index.data, 0, v->index.cap * sizeof(*v->index.data));
}

static void add_column(struct aggview *v, uint32_t agg, uint32_t group)
{
	if (v->columns[agg].group != ABSENT)
		return;
	v->columns[agg].group = group;
	v->columns[agg].offset = v->row_words[group];
	v->row_words[group] += 1 + agg_of(v, agg)->words;
}

static void index_put(struct aggview *v, uint32_t number)
{
	size_t mask = v->index.cap - 1, i = v->rows.data[number].hash & mask;

	while (v->index.data[i])
		i = (i + 1) & mask;
	v->index.data[i] = number + 1;
}

/* Keeps the index at most half full. */
static void index_reserve(struct aggview *v)
{
	if (v->rows.len * 2 < v->index.cap)
		return;
	v->index.cap = v->index.cap ? v->index.cap * 2 : 64;
	free(v->index.data);
	v->index.data = oom_calloc(v->index.cap, sizeof(*v->index.data));
	for (size_t i = 0; i < v->rows.len; i++)
		index_put(v, (uint32_t)i);
}

static struct row *find_row(const struct aggview *v, uint64_t hash, uint32_t group,
			    const struct agg_entry_view *e)
{
	size_t mask = v->index.cap - 1;

	for (size_t i = hash & mask; v->index.data[i]; i = (i + 1) & mask) {
		struct row *r = &v->rows.data[v->index.data[i] - 1];

		if (r->hash == hash && r->group == group &&
		    r->key_size == e->key_size &&
		    memcmp(key_at(v, r), e->key, e->key_size) == 0)
			return r;
	}
	return NULL;
}

static struct row *add_row(struct aggview *v, uint64_t hash, uint32_t group,
			   const struct agg_entry_view *e)
{
	struct row *r = vec_push(&v->rows);

	*r = (struct row){
		.group = group, .hash = hash, .key_size = (uint32_t)e->key_size};
	r->key = v->bytes.len;
	strbuf_add(&v->bytes, e->key, e->key_size);
	strbuf_pad(&v->bytes, '\0', align_up(e->key_size, 8) - e->key_size);
	r->values = v->bytes.len;
	strbuf_pad(&v->bytes, '\0', v->row_words[group] * sizeof(uint64_t));
	index_put(v, (uint32_t)(v->rows.len - 1));
	return r;
}

static void take_entry(void *ctx, const struct agg_entry_view *e)
{
	struct aggview *v = ctx;
	uint32_t group = e->agg < v->naggs ? v->columns[e->agg].group : ABSENT;
	struct row *r;
	uint64_t *column, hash;

	if (group == ABSENT)
		return;
	hash = hash_bytes(e->key, e->key_size, group);
	index_reserve(v);
	r = find_row(v, hash, group, e);
	if (!r)
		r = add_row(v, hash, group, e);
	column = column_at(v, r, e->agg);
	if (e->is_reset)
		return;
	if (!column[0])
		agg_initial(agg_of(v, e->agg), column + 1);
	column[0] = 1;
	agg_merge(agg_of(v, e->agg), column + 1, e->value);
}

static void take(struct aggview *v)
{
	const struct aggview_config *c = &v->config;

	for (uint32_t slot = 0; slot < c->nslots; slot++)
		if (agg_walk(c->state, slot, c->image, take_entry, v) < 0)
			out_message(c->out,
				    "aggregations of thread slot %u are damaged",
				    (unsigned)slot);
}

/* ---- order ---- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* What is printed and compared of a scalar: value follows its presence word. */
static int64_t scalar(const struct program_agg *a, const uint64_t *column)
{
	const uint64_t *value = column + 1;

	if (!column[0])
		return 0;
	if (a->func != AGG_avg)
		return (int64_t)value[0];
	/* INT64_MIN / -1 cannot happen unless the target spoilt its shard. */
	if (!value[0] || value[0] == UINT64_MAX)
		return 0;
	return (int64_t)value[1] / (int64_t)value[0];
}

static int compare_column(const struct aggview *v, const struct row *a,
			  const struct row *b, uint32_t agg)
{
	const struct program_agg *p = agg_of(v, agg);
	const uint64_t *left = column_at(v, a, agg), *right = column_at(v, b, agg);

	if (hist_is(p))
		return hist_compare(p, left + 1, right + 1);
	return compare_i64(scalar(p, left), scalar(p, right));
}

/* All columns of the group from the chosen one on, wrapping around. */
static int compare_values(const struct aggview *v, const struct row *a,
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

static int compare_field(const struct tuple_value *a, const struct tuple_value *b)
{
	unsigned shift = 64 - 8 * a->field->size;
	int order;

	if (a->field->kind == KIND_INT)
		return compare_u64(a->number << shift, b->number << shift);
	order = memcmp(a->bytes, b->bytes, min_u64(a->len, b->len));
	return order ? order : compare_u64(a->len, b->len);
}

/* The n-th key of a row; false if the row is damaged. */
static bool key_field(const struct aggview *v, const struct row *r, uint32_t n,
		      struct tuple_value *out)
{
	const struct program_agg *a = agg_of(v, r->group);
	size_t pos = 0;

	for (uint32_t i = 0; i <= n; i++)
		if (tuple_next(key_at(v, r), r->key_size, &pos,
			       program_field(v->config.image, a->first_key + i), out))
			return false;
	return true;
}

static int compare_keys(const struct aggview *v, const struct row *a,
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
	const struct aggview *v = ctx;
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

/* The order of trunc(): by value, then keys, whatever the options say. */
static int compare_plain(const void *a, const void *b, void *ctx)
{
	const struct aggview *v = ctx;
	int order = compare_values(v, a, b, 0);

	return order ? order : compare_keys(v, a, b, 0);
}

static void sort_rows(struct aggview *v,
		      int (*compare)(const void *, const void *, void *))
{
	if (v->rows.len)
		qsort_r(v->rows.data, v->rows.len, sizeof(*v->rows.data), compare, v);
}

/* ---- printing ---- */

static void print_value(const struct aggview *v, const struct row *r, uint32_t agg)
{
	const struct program_agg *a = agg_of(v, agg);
	const uint64_t *column = column_at(v, r, agg);

	if (hist_is(a)) {
		hist_print(v->config.out, a, column + 1, v->config.options);
		return;
	}
	out_putc(v->config.out, ' ');
	out_int(v->config.out, scalar(a, column), 16);
}

static void print_keys(const struct aggview *v, const struct row *r)
{
	const struct program_agg *a = agg_of(v, r->group);
	struct tuple_value value;
	size_t pos = 0;

	for (uint32_t i = 0; i < a->nkeys; i++) {
		if (tuple_next(key_at(v, r), r->key_size, &pos,
			       program_field(v->config.image, a->first_key + i),
			       &value))
			return;
		value_print_key(v->config.out, &value, v->config.options);
	}
}

static void print_default(const struct aggview *v, const struct row *r)
{
	print_keys(v, r);
	if (v->ncolumns == 0)
		print_value(v, r, r->group);
	for (uint32_t i = 0; i < v->ncolumns; i++)
		print_value(v, r, v->aggs[i]);
	out_putc(v->config.out, '\n');
}

/* What format_print() needs to know of the row it is at. */
struct row_context {
	const struct aggview *v;
	const struct row *row;
};

/* The n-th %@: the n-th aggregation, the last one for all beyond. */
static void print_formatted(void *ctx, uint32_t n, const struct format_item *item)
{
	static const struct program_field is_signed = {.is_signed = 1, .size = 8};
	static const struct program_field is_unsigned = {.size = 8};
	const struct row_context *c = ctx;
	const struct aggview *v = c->v;
	uint32_t agg = v->aggs[min_u64(n, v->ncolumns - 1)];
	const struct program_agg *a = agg_of(v, agg);
	const uint64_t *column = column_at(v, c->row, agg);

	if (hist_is(a))
		hist_print(v->config.out, a, column + 1, v->config.options);
	else
		format_number(v->config.out, item, (uint64_t)scalar(a, column),
			      a->func == AGG_count ? &is_unsigned : &is_signed);
}

static void print_by_format(struct aggview *v, const struct row *r,
			    const struct format *f)
{
	const struct program_agg *a = agg_of(v, r->group);
	struct row_context ctx = {.v = v, .row = r};
	struct format_args args = {
		.fields = program_field(v->config.image, a->first_key),
		.nfields = a->nkeys,
		.data = key_at(v, r),
		.size = r->key_size,
		.value = print_formatted,
		.ctx = &ctx,
		.scratch = &v->scratch,
	};

	if (format_print(f, &args, v->config.out))
		out_message(v->config.out, "malformed key of aggregation @%s",
			    program_string(v->config.image, a->name));
}

void aggview_print(struct aggview *v, const uint32_t *aggs, uint32_t n,
		   const struct format *format)
{
	if (!n)
		return;
	reset(v);
	v->aggs = aggs;
	v->ncolumns = n;
	for (uint32_t i = 0; i < n; i++) {
		add_column(v, aggs[i], aggs[0]);
		v->is_printed[aggs[i]] = true;
	}
	take(v);
	sort_rows(v, compare_rows);
	if (!format)
		out_putc(v->config.out, '\n');
	for (size_t i = 0; i < v->rows.len; i++) {
		if (format)
			print_by_format(v, &v->rows.data[i], format);
		else
			print_default(v, &v->rows.data[i]);
	}
}

void aggview_print_rest(struct aggview *v)
{
	reset(v);
	v->ncolumns = 0;
	for (uint32_t i = 0; i < v->naggs; i++)
		if (!v->is_printed[i])
			add_column(v, i, i);
	take(v);
	sort_rows(v, compare_rows);
	for (size_t i = 0; i < v->rows.len; i++)
		print_default(v, &v->rows.data[i]);
}

void aggview_clear(struct aggview *v, uint32_t agg)
{
	agg_clear(v->config.state, agg);
}

void aggview_trunc(struct aggview *v, uint32_t agg, int64_t n)
{
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	size_t first = 0, drop;

	if (n == 0) {
		agg_trunc(v->config.state, agg);
		return;
	}
	reset(v);
	v->ncolumns = 0;
	add_column(v, agg, agg);
	take(v);
	if (keep >= v->rows.len)
		return;
	sort_rows(v, compare_plain);
	drop = v->rows.len - (size_t)keep;
	if (n < 0)
		first = (size_t)keep;
	for (size_t i = first; i < first + drop; i++)
		agg_remove(v->config.state, agg, key_at(v, &v->rows.data[i]),
			   v->rows.data[i].key_size);
}
