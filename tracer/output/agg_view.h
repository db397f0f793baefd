/* SPDX-License-Identifier: MIT */
/*
 * Aggregations as the consumer sees them: the shards of all slots merged by
 * key, sorted as the options say, and printed.
 */
#ifndef TRACER_OUTPUT_AGG_VIEW_H
#define TRACER_OUTPUT_AGG_VIEW_H

#include "tracer/output/agg_config.h"
#include "tracer/output/format.h"

struct agg_view;

struct agg_view *agg_view_new(const struct agg_config *config);
void agg_view_free(struct agg_view *v);

/*
 * printa(): rows of the union of the keys of n aggregations, all with the
 * same key types, in the default layout or by a format. They count as printed.
 */
void agg_view_print(struct agg_view *v, const uint32_t *aggs, uint32_t n,
		    const struct format *format);
/* Every aggregation not printed so far, in order of number. */
void agg_view_print_rest(struct agg_view *v);

/*
 * Both take away what was there when the aggregation was last printed, if that was
 * after time (ns of CLOCK_MONOTONIC, when the script said so), and otherwise what
 * is there now: printa(@); clear(@) loses no update that comes between them. Only
 * min() and max(), which do not add up, are always taken as they are now.
 *
 * clear(@): values are reset, keys stay.
 */
void agg_view_clear(struct agg_view *v, uint32_t agg, uint64_t time);
/* normalize(@, factor): printed values are divided by it; 0 or 1: not. */
void agg_view_normalize(struct agg_view *v, uint32_t agg, uint64_t factor);
/* trunc(@, n): the n largest stay, or the -n smallest; 0: none. */
void agg_view_trunc(struct agg_view *v, uint32_t agg, int64_t n, uint64_t time);

#endif
