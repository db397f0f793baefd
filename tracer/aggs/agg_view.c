/* SPDX-License-Identifier: MIT */
/*
 * Takes snapshots of aggregations, and applies printa(), clear() and trunc() to them.
 */
#include "tracer/aggs/agg_view.h"
#include "tracer/aggs/agg_table.h"
#include "tracer/output/form.h"
#include "tracer/records/sources.h"
#include "tracer/trust/record_check.h"
#include "vm/base/hash.h"
#include "vm/base/host/claim.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/secret.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of keys and values in one snapshot; rows beyond it are counted as drops. */
#define ROWS_MAX (UINT64_C(512) << 20)

/* No owner spends this long inside one update. */
#define SETTLED_NS (UINT64_C(10) * 1000 * 1000 * 1000)

static struct state_drops *home_drops(const struct agg_view *v)
{
	return state_drops(v->config.sources->home->state, STATE_SLOT_FRONT);
}

/* Marks the aggregations whose snapshot a later action may need. */
static void find_taken(struct agg_view *v)
{
	const void *image = v->config.image;
	const uint32_t *operands = program_section(image, SECTION_OPERAND);

	for (uint32_t i = 0; i < program_count(image, SECTION_ACTION); i++) {
		const struct program_action *a = program_action(image, i);

		for (uint32_t k = 0; k < a->noperands; k++) {
			uint32_t agg = operands[a->first_operand + k];

			if ((a->kind == ACTION_clear || a->kind == ACTION_trunc) &&
			    agg_baseline_can(agg_of(v, agg)))
				v->seen[agg].is_wanted = true;
		}
	}
}

/* Of the types of the keys, but for signs. */
static uint64_t shape_of(const void *image, const struct program_agg *a)
{
	uint64_t shape = a->nkeys;

	for (uint32_t i = 0; i < a->nkeys; i++) {
		const struct program_field *f = program_field(image, a->first_key + i);
		const uint32_t parts[] = {f->kind, f->show, f->size};

		shape = hash_bytes(parts, sizeof(parts), shape);
	}
	return shape;
}

struct agg_view *agg_view_new(const struct agg_config *config)
{
	struct agg_view *v = oom_calloc(1, sizeof(*v));
	size_t n;

	v->config = *config;
	v->naggs = program_count(config->image, SECTION_AGG);
	n = v->naggs + 1;
	v->is_printed = oom_calloc(n, sizeof(*v->is_printed));
	v->factors = oom_calloc(n, sizeof(*v->factors));
	v->totals = oom_calloc(n, sizeof(*v->totals));
	v->columns = oom_calloc(n, sizeof(*v->columns));
	v->row_words = oom_calloc(n, sizeof(*v->row_words));
	v->seen = oom_calloc(n, sizeof(*v->seen));
	v->shapes = oom_calloc(n, sizeof(*v->shapes));
	for (uint32_t i = 0; i < v->naggs; i++)
		v->shapes[i] = shape_of(config->image, agg_of(v, i));
	v->archive = STATE_SLOT_FIRST_THREAD;
	v->salt = secret_number();
	v->base.salt = v->salt;
	find_taken(v);
	return v;
}

void agg_view_free(struct agg_view *v)
{
	if (!v)
		return;
	for (uint32_t i = 0; i < v->naggs; i++)
		agg_snapshot_release(&v->seen[i]);
	free(v->seen);
	agg_baseline_release(&v->base);
	free(v->is_printed);
	free(v->factors);
	free(v->totals);
	free(v->columns);
	free(v->row_words);
	free(v->shapes);
	vec_release(&v->rows);
	strbuf_release(&v->bytes);
	free(v->index.data);
	agg_names_release(&v->names);
	strbuf_release(&v->scratch);
	free(v->walk.seen);
	free(v->walk.table);
	free(v->walk.copy);
	free(v);
}

/* ---- taking a snapshot ---- */

static void reset(struct agg_view *v)
{
	for (uint32_t i = 0; i < v->naggs; i++)
		v->columns[i].group = AGG_ABSENT;
	memset(v->row_words, 0, v->naggs * sizeof(*v->row_words));
	v->rows.len = 0;
	agg_names_reset(&v->names);
	strbuf_reset(&v->bytes);
	if (v->index.cap)
		memset(v->index.data, 0, v->index.cap * sizeof(*v->index.data));
}

static void add_column(struct agg_view *v, uint32_t agg, uint32_t group)
{
	if (v->columns[agg].group != AGG_ABSENT)
		return;
	v->columns[agg].group = group;
	v->columns[agg].offset = v->row_words[group];
	v->row_words[group] += 1 + agg_of(v, agg)->words;
}

static void index_put(struct agg_view *v, uint32_t number)
{
	size_t mask = v->index.cap - 1, i = v->rows.data[number].hash & mask;

	while (v->index.data[i])
		i = (i + 1) & mask;
	v->index.data[i] = number + 1;
}

/* Keeps the index at most half full. */
static void index_reserve(struct agg_view *v)
{
	if (v->rows.len * 2 < v->index.cap)
		return;
	v->index.cap = v->index.cap ? v->index.cap * 2 : 64;
	free(v->index.data);
	v->index.data = oom_calloc(v->index.cap, sizeof(*v->index.data));
	for (size_t i = 0; i < v->rows.len; i++)
		index_put(v, (uint32_t)i);
}

static struct row *find_row(const struct agg_view *v, uint64_t hash, uint32_t group,
			    const struct agg_entry_view *e)
{
	size_t mask = v->index.cap - 1;

	for (size_t i = hash & mask; v->index.data[i]; i = (i + 1) & mask) {
		struct row *r = &v->rows.data[v->index.data[i] - 1];

		if (r->hash == hash && r->group == group &&
		    v->shapes[r->keys] == v->shapes[e->agg] &&
		    r->key_size == e->key_size &&
		    memcmp(key_at(v, r), e->key, e->key_size) == 0)
			return r;
	}
	return NULL;
}

static struct row *add_row(struct agg_view *v, uint64_t hash, uint32_t group,
			   const struct agg_entry_view *e)
{
	struct row *r = vec_push(&v->rows);

	*r = (struct row){.group = group,
			  .keys = e->agg,
			  .number = (uint32_t)(v->rows.len - 1),
			  .hash = hash,
			  .key_size = (uint32_t)e->key_size};
	r->key = v->bytes.len;
	strbuf_add(&v->bytes, e->key, e->key_size);
	strbuf_pad(&v->bytes, '\0', align_up(e->key_size, 8) - e->key_size);
	r->values = v->bytes.len;
	strbuf_pad(&v->bytes, '\0', v->row_words[group] * sizeof(uint64_t));
	index_put(v, (uint32_t)(v->rows.len - 1));
	return r;
}

/* The row of the element's key, found or added; NULL: no room for a row. */
static struct row *take_row(struct agg_view *v, const struct agg_entry_view *e)
{
	const struct agg_entry_view named = agg_names_entry(
		&v->names, v->config.ustack, v->config.image, v->salt, e);
	uint32_t group = v->columns[program_agg_primary(v->config.image, e->agg)].group;
	uint64_t hash = hash_bytes(named.key, named.key_size, v->salt + group);
	struct row *r;

	index_reserve(v);
	r = find_row(v, hash, group, &named);
	if (r)
		return r;
	if (v->bytes.len > v->rows_max) {
		if (!v->is_peek)
			atomic_fetch_add(&home_drops(v)->aggs, 1);
		return NULL;
	}
	return add_row(v, hash, group, &named);
}

/* Merges the element's value into the row of its key; NULL: no room for a row. */
static struct row *merge(struct agg_view *v, const struct agg_entry_view *e)
{
	const struct program_agg *a = agg_of(v, e->agg);
	struct row *r = take_row(v, e);
	const uint64_t *base;
	uint64_t *column;
	bool is_untouched;

	if (!r)
		return NULL;
	base = agg_baseline_find(&v->base, v->slot, e, &is_untouched);
	if (e->is_reset || (base && is_untouched))
		return r;
	column = column_at(v, r, program_agg_primary(v->config.image, e->agg));
	if (!column[0])
		agg_initial(a, column + 1);
	column[0] = 1;
	agg_merge(a, column + 1, e->value);
	if (base)
		agg_baseline_subtract(a, column + 1, base);
	return r;
}

static void take_entry(void *ctx, const struct agg_entry_view *e)
{
	struct agg_view *v = ctx;
	const struct row *r;
	uint32_t agg;

	if (e->agg >= v->naggs)
		return;
	agg = program_agg_primary(v->config.image, e->agg);
	if (v->columns[agg].group == AGG_ABSENT)
		return;
	r = merge(v, e);
	if (r && !v->is_peek && v->seen[agg].is_wanted && !e->is_reset)
		agg_snapshot_add(&v->seen[agg], v->slot, r->number,
				 agg_of(v, e->agg)->words, e);
}

/* Said once for each view. */
static void say_spoilt(const struct agg_view *v, struct view *from)
{
	if (from->is_damaged)
		return;
	from->is_damaged = true;
	out_message(v->config.out,
		    "process %d has spoilt aggregations of one of its threads",
		    from->pid);
}

/* What counts updates of a thread is no more than it can have made. */
static bool is_possible_count(const struct agg_view *v, const struct agg_entry_view *e)
{
	switch (agg_of(v, e->agg)->func) {
	case AGG_count:
	case AGG_avg:
	case AGG_stddev:
		return e->is_reset || e->value[0] <= v->most;
	default:
		return true;
	}
}

static void check_entry(void *ctx, const struct agg_entry_view *e)
{
	struct agg_view *v = ctx;
	uint32_t pid = (uint32_t)v->source->view->pid;

	if (!pid || !v->config.check ||
	    (is_possible_count(v, e) &&
	     record_check_accepts_element(v->config.check, pid, e)))
		v->each(v, e);
	else
		say_spoilt(v, v->source->view);
}

void agg_view_walk(struct agg_view *v, const struct view *from,
		   void (*each)(void *ctx, const struct agg_entry_view *e))
{
	struct agg_walk *w = &v->walk;
	size_t words = agg_seen_words(from->state);

	w->state = from->state;
	w->image = v->config.image;
	v->each = each;
	w->each = check_entry;
	w->ctx = v;
	w->tries = 0;
	v->most = claim_most(clock_now_ns() - v->config.sources->since);
	if (!w->seen) {
		w->seen = oom_calloc(words, sizeof(*w->seen));
		w->table =
			oom_calloc(agg_table_entries(from->state), sizeof(*w->table));
		w->copy = oom_calloc(1, agg_copy_bytes());
	}
	memset(w->seen, 0, words * sizeof(*w->seen));
	for (size_t i = 0; i < from->sources.len; i++) {
		struct source *p = from->sources.data[i];

		v->slot = p->number;
		v->source = p;
		if (agg_walk(w, p->slot))
			say_spoilt(v, p->view);
	}
}

static void take(struct agg_view *v)
{
	const struct sources *s = v->config.sources;

	for (uint32_t i = 0; i < v->naggs && !v->is_peek; i++)
		if (v->seen[i].is_wanted && v->columns[i].group != AGG_ABSENT)
			agg_snapshot_begin(&v->seen[i]);
	sources_find(v->config.sources);
	for (size_t i = s->views.len; i-- > 0;) {
		/* A share for each of those that are left; home comes last. */
		v->rows_max = v->bytes.len +
			      (ROWS_MAX - min_u64(v->bytes.len, ROWS_MAX)) / (i + 1);
		agg_view_walk(v, s->views.data[i], take_entry);
	}
}

bool agg_view_is_new(const struct agg_view *v, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (v->aggs[k] == v->aggs[i])
			return false;
	return true;
}

static void add_to_total(struct agg_view *v, const struct row *r, uint32_t agg)
{
	int64_t *total = &v->totals[agg];
	int64_t number = agg_view_scalar(agg_of(v, agg), column_at(v, r, agg), 1);

	if (agg_adds_up(agg_of(v, agg)) &&
	    __builtin_add_overflow(*total, number, total))
		*total = INT64_MAX;
}

/* What all rows of each aggregation add up to: those that aggtop hides count too. */
static void add_up(struct agg_view *v)
{
	memset(v->totals, 0, v->naggs * sizeof(*v->totals));
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct row *r = &v->rows.data[i];

		if (v->ncolumns == 0)
			add_to_total(v, r, r->group);
		for (uint32_t k = 0; k < v->ncolumns; k++)
			if (agg_view_is_new(v, k))
				add_to_total(v, r, v->aggs[k]);
	}
}

/* aggtop: only so many rows, those with the largest values as aggsortrev puts them. */
static void keep_top(struct agg_view *v)
{
	const struct options *opt = v->config.options;
	size_t top = opt->aggtop < v->rows.len ? (size_t)opt->aggtop : v->rows.len;

	if (!top)
		return;
	if (!opt->aggsortrev)
		memmove(v->rows.data, v->rows.data + v->rows.len - top,
			top * sizeof(*v->rows.data));
	v->rows.len = top;
}

void agg_view_print(struct agg_view *v, const uint32_t *aggs, uint32_t n,
		    const struct format *format, uint64_t time)
{
	struct form *f = v->config.form;

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
	add_up(v);
	agg_view_sort(v);
	keep_top(v);
	if (!format)
		f->ops->newline(f);
	f->ops->rows(f, v, format, time);
}

void agg_view_hide(struct agg_view *v, uint32_t agg)
{
	v->is_printed[agg] = true;
}

void agg_view_print_rest(struct agg_view *v)
{
	reset(v);
	v->ncolumns = 0;
	for (uint32_t i = 0; i < v->naggs; i++)
		if (!v->is_printed[i] && !agg_of(v, i)->variant_of)
			add_column(v, i, i);
	take(v);
	add_up(v);
	agg_view_sort(v);
	v->config.form->ops->rows(v->config.form, v, NULL, 0);
}

void agg_view_peek(struct agg_view *v)
{
	reset(v);
	v->ncolumns = 0;
	for (uint32_t i = 0; i < v->naggs; i++)
		if (!agg_of(v, i)->variant_of)
			add_column(v, i, i);
	v->is_peek = true;
	take(v);
	v->is_peek = false;
	add_up(v);
	agg_view_sort_largest(v);
}

void agg_view_normalize(struct agg_view *v, uint32_t agg, uint64_t factor)
{
	v->factors[agg] = factor;
}

/* ---- clear and trunc ---- */

/* A snapshot of one aggregation that is not older than time. */
static void look(struct agg_view *v, uint32_t agg, uint64_t time)
{
	if (v->seen[agg].is_wanted && v->seen[agg].time >= time)
		return;
	reset(v);
	v->ncolumns = 0;
	add_column(v, agg, agg);
	take(v);
}

/* One element as it was in the last snapshot. */
static void take_away(struct agg_view *v, uint32_t agg, size_t i, bool is_truncated)
{
	const struct agg_snapshot *s = &v->seen[agg];
	struct agg_entry_view e = agg_snapshot_view(s, i);
	struct agg_baseline_taken t = {
		.slot = s->elements.data[i].slot,
		.agg = e.agg,
		.words = agg_of(v, agg)->words,
		.is_truncated = is_truncated,
		.sequence = e.sequence,
		.time = s->time,
		.key = e.key,
		.key_size = e.key_size,
		.value = e.value,
	};
	const struct source *p = sources_get(v->config.sources, t.slot);
	struct agg_mark mark = {p ? p->slot : 0, e.agg,	     e.key,
				e.key_size,	 e.sequence, e.offset};

	agg_baseline_put(&v->base, &t);
	if (is_truncated && p)
		agg_take(p->view->state, &mark);
}

/* change() for an aggregation and its variants. */
static void change_all(struct agg_view *v, uint32_t agg,
		       void (*change)(struct state *s, uint32_t agg))
{
	for (uint32_t i = 0; i < v->naggs; i++)
		if (program_agg_primary(v->config.image, i) == agg)
			change(v->config.sources->home->state, i);
}

/* Which rows a trunc() drops: [first, first + drop) of n sorted ones. */
struct dropped {
	size_t first, count;
};

static struct dropped choose(size_t rows, int64_t n)
{
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;

	if (keep >= rows)
		return (struct dropped){0};
	return (struct dropped){n < 0 ? (size_t)keep : 0, rows - (size_t)keep};
}

/* Elements whose row is marked vanish, as they are now. */
static void remove_marked(const struct agg_view *v, uint32_t agg, const bool *goes)
{
	const struct agg_snapshot *s = &v->seen[agg];
	uint32_t tries = 0;

	for (size_t i = 0; i < s->elements.len; i++) {
		const struct agg_snapshot_element *x = &s->elements.data[i];
		const struct source *p = sources_get(v->config.sources, x->slot);
		struct agg_entry_view e = agg_snapshot_view(s, i);
		struct agg_mark mark = {p ? p->slot : 0, e.agg,	     e.key,
					e.key_size,	 e.sequence, e.offset};

		if (p && goes[x->row])
			agg_remove(p->view->state, &mark, &tries);
	}
}

/* The rows that go, by their numbers; the caller frees. */
static bool *mark_rows(const struct agg_view *v, struct dropped d)
{
	bool *goes = oom_calloc(v->rows.len + 1, sizeof(*goes));

	for (size_t i = d.first; i < d.first + d.count; i++)
		goes[v->rows.data[i].number] = true;
	return goes;
}

/* min() and max() */
static void trunc_present(struct agg_view *v, uint32_t agg, int64_t n)
{
	bool *goes;

	if (n == 0) {
		change_all(v, agg, agg_trunc);
		return;
	}
	v->seen[agg].is_wanted = true;
	look(v, agg, UINT64_MAX);
	v->seen[agg].is_wanted = false;
	agg_view_sort_plain(v);
	goes = mark_rows(v, choose(v->rows.len, n));
	remove_marked(v, agg, goes);
	agg_snapshot_release(&v->seen[agg]);
	free(goes);
}

/* The number of the element's row; there was room for it before. */
static uint32_t row_of(struct agg_view *v, const struct agg_entry_view *e)
{
	const struct row *r = merge(v, e);

	return r ? r->number : 0;
}

/*
 * Rebuilds and sorts the rows of the last snapshot, and marks those that trunc()
 * drops.
 */
static struct dropped sort_seen(struct agg_view *v, uint32_t agg, int64_t n)
{
	struct agg_snapshot *s = &v->seen[agg];

	reset(v);
	v->ncolumns = 0;
	add_column(v, agg, agg);
	for (size_t i = 0; i < s->elements.len; i++) {
		struct agg_entry_view e = agg_snapshot_view(s, i);

		v->slot = s->elements.data[i].slot;
		s->elements.data[i].row = row_of(v, &e);
	}
	agg_view_sort_plain(v);
	return choose(v->rows.len, n);
}

/* Rows of sort_seen() go. */
static void report_removed(const struct agg_view *v, uint32_t agg, struct dropped d)
{
	for (size_t i = d.first; v->config.removed && i < d.first + d.count; i++) {
		const struct agg_value x = agg_view_value(v, &v->rows.data[i], agg);

		v->config.removed(v->config.ctx, &x);
	}
}

void agg_view_clear(struct agg_view *v, uint32_t agg, uint64_t time)
{
	if (!v->seen[agg].is_wanted) {
		change_all(v, agg, agg_clear);
		sources_renew(v->config.sources);
		return;
	}
	look(v, agg, time);
	if (v->config.removed)
		report_removed(v, agg, sort_seen(v, agg, 0));
	for (size_t i = 0; i < v->seen[agg].elements.len; i++)
		take_away(v, agg, i, false);
}

static void trunc_seen(struct agg_view *v, uint32_t agg, int64_t n)
{
	struct agg_snapshot *s = &v->seen[agg];
	struct dropped d = sort_seen(v, agg, n);
	bool *goes = mark_rows(v, d);

	report_removed(v, agg, d);
	for (size_t i = 0; i < s->elements.len; i++)
		if (goes[s->elements.data[i].row])
			take_away(v, agg, i, true);
	agg_snapshot_drop(s, goes);
	free(goes);
}

void agg_view_trunc(struct agg_view *v, uint32_t agg, int64_t n, uint64_t time)
{
	struct agg_snapshot *s = &v->seen[agg];

	if (!s->is_wanted) {
		trunc_present(v, agg, n);
		sources_renew(v->config.sources);
		return;
	}
	look(v, agg, time);
	trunc_seen(v, agg, n);
	sources_renew(v->config.sources);
	if (s->time > SETTLED_NS)
		agg_baseline_purge(&v->base, s->time - SETTLED_NS);
}
