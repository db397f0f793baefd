/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/heatmap.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

void heatmap_init(struct heatmap *h, const struct program_agg *agg, uint64_t start)
{
	*h = (struct heatmap){.agg = agg, .from = start, .to = start, .per_column = 1};
	h->last = oom_calloc(agg->words, sizeof(*h->last));
	h->now = oom_calloc(agg->words, sizeof(*h->now));
	h->open = oom_calloc(agg->words, sizeof(*h->open));
}

void heatmap_release(struct heatmap *h)
{
	vec_release(&h->columns);
	vec_release(&h->cells);
	free(h->last);
	free(h->now);
	free(h->open);
}

void heatmap_add(struct heatmap *h, const uint64_t *words)
{
	for (uint32_t i = 0; i < h->agg->words; i++)
		h->now[i] += words[i];
}

void heatmap_remove(struct heatmap *h, const uint64_t *words)
{
	for (uint32_t i = 0; i < h->agg->words; i++)
		h->last[i] -= words[i];
}

/* ---- columns ---- */

static size_t end_of(const struct heatmap *h, size_t column)
{
	return column + 1 < h->columns.len ? h->columns.data[column + 1].first
					   : h->cells.len;
}

/* Of counts; a sum stays at the largest. */
static int64_t add_up(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Appends the cells [i, end) and [k, other) of another map, added up. */
static void merge_cells(struct heatmap *h, const struct heatmap *old, size_t column)
{
	const struct heatmap_cell *cells = old->cells.data;
	size_t i = old->columns.data[column].first, end = end_of(old, column);
	size_t k = end, other = end;

	if (column + 1 < old->columns.len)
		other = end_of(old, column + 1);
	while (i < end || k < other) {
		if (k == other || (i < end && cells[i].bucket < cells[k].bucket)) {
			*vec_push(&h->cells) = cells[i++];
		} else if (i == end || cells[k].bucket < cells[i].bucket) {
			*vec_push(&h->cells) = cells[k++];
		} else {
			*vec_push(&h->cells) = (struct heatmap_cell){
				cells[i].bucket,
				add_up(cells[i].count, cells[k].count)};
			i++;
			k++;
		}
	}
}

/* Each two neighbours become one. */
static void merge_columns(struct heatmap *h)
{
	struct heatmap old = *h;

	h->columns.data = NULL;
	h->columns.len = h->columns.cap = 0;
	h->cells.data = NULL;
	h->cells.len = h->cells.cap = 0;
	for (size_t i = 0; i < old.columns.len; i += 2) {
		size_t last = i + 1 < old.columns.len ? i + 1 : i;

		*vec_push(&h->columns) = (struct heatmap_column){
			old.columns.data[i].from, old.columns.data[last].to,
			h->cells.len};
		merge_cells(h, &old, i);
	}
	vec_release(&old.columns);
	vec_release(&old.cells);
	h->per_column *= 2;
}

static void close_column(struct heatmap *h)
{
	*vec_push(&h->columns) = (struct heatmap_column){h->from, h->to, h->cells.len};
	for (uint32_t i = 0; i < h->agg->words; i++)
		if (h->open[i])
			*vec_push(&h->cells) = (struct heatmap_cell){i, h->open[i]};
	memset(h->open, 0, h->agg->words * sizeof(*h->open));
	h->from = h->to;
	h->nopen = 0;
	while (h->columns.len > 1 &&
	       (h->columns.len >= HEATMAP_COLUMNS || h->cells.len > HEATMAP_CELLS))
		merge_columns(h);
}

void heatmap_end(struct heatmap *h, uint64_t time)
{
	for (uint32_t i = 0; i < h->agg->words; i++) {
		int64_t more = (int64_t)(h->now[i] - h->last[i]);

		h->now[i] = 0;
		if (more <= 0)
			continue;
		h->open[i] = add_up(h->open[i], more);
		h->last[i] += (uint64_t)more;
	}
	h->to = time > h->to ? time : h->to;
	if (++h->nopen >= h->per_column)
		close_column(h);
}

void heatmap_finish(struct heatmap *h)
{
	if (h->nopen)
		close_column(h);
}
