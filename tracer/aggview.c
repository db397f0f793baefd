/* SPDX-License-Identifier: MIT */
/*
 * Snapshots of aggregations, and what printa(), clear() and trunc() do with them.
 */
#include "tracer/aggtable.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

struct aggview *aggview_new(const struct aggview_config *config)
{
	struct aggview *v = oom_calloc(1, sizeof(*v));
	size_t n;

	v->config = *config;
	v->naggs = program_count(config->image, SECTION_AGG);
	n = v->naggs + 1;
	v->is_printed = oom_calloc(n, sizeof(*v->is_printed));
	v->factors = oom_calloc(n, sizeof(*v->factors));
	v->columns = oom_calloc(n, sizeof(*v->columns));
	v->row_words = oom_calloc(n, sizeof(*v->row_words));
	return v;
}

void aggview_free(struct aggview *v)
{
	if (!v)
		return;
	free(v->is_printed);
	free(v->factors);
	free(v->columns);
	free(v->row_words);
	vec_release(&v->rows);
	strbuf_release(&v->bytes);
	free(v->index.data);
	strbuf_release(&v->scratch);
	free(v);
}

/* ---- taking a snapshot ---- */

static void reset(struct aggview *v)
{
	for (uint32_t i = 0; i < v->naggs; i++)
		v->columns[i].group = AGG_ABSENT;
	memset(v->row_words, 0, v->naggs * sizeof(*v->row_words));
	v->rows.len = 0;
	strbuf_reset(&v->bytes);
	if (v->index.cap)
		memset(v->index.data, 0, v->index.cap * sizeof(*v->index.data));
}

static void add_column(struct aggview *v, uint32_t agg, uint32_t group)
{
	if (v->columns[agg].group != AGG_ABSENT)
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
	uint32_t group = e->agg < v->naggs ? v->columns[e->agg].group : AGG_ABSENT;
	struct row *r;
	uint64_t *column, hash;

	if (group == AGG_ABSENT)
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
	aggview_sort(v);
	if (!format)
		out_putc(v->config.out, '\n');
	aggview_print_rows(v, format);
}

void aggview_print_rest(struct aggview *v)
{
	reset(v);
	v->ncolumns = 0;
	for (uint32_t i = 0; i < v->naggs; i++)
		if (!v->is_printed[i])
			add_column(v, i, i);
	take(v);
	aggview_sort(v);
	aggview_print_rows(v, NULL);
}

void aggview_clear(struct aggview *v, uint32_t agg)
{
	agg_clear(v->config.state, agg);
}

void aggview_normalize(struct aggview *v, uint32_t agg, uint64_t factor)
{
	v->factors[agg] = factor;
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
	aggview_sort_plain(v);
	drop = v->rows.len - (size_t)keep;
	if (n < 0)
		first = (size_t)keep;
	for (size_t i = first; i < first + drop; i++)
		agg_remove(v->config.state, agg, key_at(v, &v->rows.data[i]),
			   v->rows.data[i].key_size);
}
