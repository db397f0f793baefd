/* SPDX-License-Identifier: MIT */
/*
 * Aggregations in the consumer: merges the shards of all slots by key, sorts the rows
 * by the options, and prints them.
 */
#ifndef TRACER_AGGS_AGG_VIEW_H
#define TRACER_AGGS_AGG_VIEW_H

#include "tracer/aggs/agg_config.h"
#include "tracer/output/format.h"
#include "vm/program.h"
#include "vm/base/host/strbuf.h"
#include "vm/tuple.h"

struct agg_view;
struct ustack; /* ustack.h */
struct view;   /* sources.h */

struct agg_view *agg_view_new(const struct agg_config *config);
void agg_view_free(struct agg_view *v);

/*
 * Moves all elements of an ended view, which is about to go, to slots of the home view.
 * What finds no room is counted as a drop.
 */
void agg_view_archive(struct agg_view *v, const struct view *from);

/*
 * printa(): prints one row for each key of n aggregations with the same key types, in
 * the default layout or by a format. Marks them as printed. time: of its record.
 */
void agg_view_print(struct agg_view *v, const uint32_t *aggs, uint32_t n,
		    const struct format *format, uint64_t time);
/* Marks an aggregation as printed. */
void agg_view_hide(struct agg_view *v, uint32_t agg);
/* Prints every aggregation that is not marked as printed, in order of number. */
void agg_view_print_rest(struct agg_view *v);
/*
 * Takes the current values of all aggregations for agg_view_each(), by aggregation, the
 * largest first, and prints nothing. printa(), clear() and trunc() of the program do not
 * notice.
 */
void agg_view_peek(struct agg_view *v);

/* One value of the rows that were printed last, or that agg_view_peek() took. */
struct agg_value {
	const struct program_agg *agg;
	uint32_t number;  /* of the aggregation */
	const char *name; /* without the @; "_" for @ */
	/* agg->words words; NULL: the row has no value of the aggregation. */
	const uint64_t *words;
	uint64_t factor; /* of normalize(), 0 none */
	int64_t total;	 /* of all rows, not divided, if the aggregation adds up */
	const void *row_key;
	size_t key_size;
	const struct program_field *keys; /* nkeys */
	uint32_t nkeys;
};
struct row; /* agg_table.h */
/* The value of an aggregation in a row of the snapshot. */
struct agg_value agg_view_value(const struct agg_view *v, const struct row *r,
				uint32_t agg);
/* Calls each() for every value of every row, in the order of the rows. */
void agg_view_each(const struct agg_view *v,
		   void (*each)(void *ctx, const struct agg_value *x), void *ctx);
/* The number that is printed for a value that is no histogram. */
int64_t agg_value_number(const struct agg_value *x);
/* Whether the values of an aggregation add up: count() and sum(). */
bool agg_adds_up(const struct program_agg *a);
/* The share in all rows, in percent. False: it has none, or their sum is not positive. */
bool agg_value_share(const struct agg_value *x, double *percent);
/* The key number *i, from 0 on; *pos is 0 before the first. False: no more. */
bool agg_value_key(const struct agg_value *x, uint32_t i, size_t *pos,
		   struct tuple_value *key);
/* Whether one of the keys is a stack. */
bool agg_value_has_stack(const struct agg_value *x);
/* Whether its rows are stacks with a number that adds up; false for variants. */
bool agg_has_stacks(const void *image, uint32_t agg);
/* Appends a key that is no stack, as agg_value_fold() does. */
void agg_key_fold(const struct tuple_value *key, struct ustack *u, struct strbuf *to);
/*
 * Appends the keys as a folded stack, "key;key;root;...;leaf": first the keys that are no
 * stack, as frames from which it begins; no value. Every byte is clean
 * (tracer/base/text.h), and a ';' inside a frame is a ','. u: names of addresses; NULL:
 * locations are left out. False: the row is damaged; to has what came before.
 */
bool agg_value_fold(const struct agg_value *x, struct ustack *u, struct strbuf *to);

/*
 * clear and trunc remove the values of the last print, if it came after time (ns of
 * CLOCK_MONOTONIC, when the script ran the action); otherwise the current values. So
 * printa(@); clear(@) loses no update between the two. min() and max() do not add up:
 * their current values are always removed.
 *
 * clear(@): resets the values, keeps the keys.
 */
void agg_view_clear(struct agg_view *v, uint32_t agg, uint64_t time);
/* normalize(@, factor): divides printed values; 0 or 1 does not. */
void agg_view_normalize(struct agg_view *v, uint32_t agg, uint64_t factor);
/* trunc(@, n): keeps the n largest rows, or the -n smallest; 0 keeps none. */
void agg_view_trunc(struct agg_view *v, uint32_t agg, int64_t n, uint64_t time);

#endif
