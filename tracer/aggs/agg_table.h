/* SPDX-License-Identifier: MIT */
/*
 * Private to agg_view.c, agg_order.c and agg_print.c: a snapshot of aggregations.
 *
 * Each use takes a new one from the current shards. It is a table of rows. The rows of
 * one group share their key types; each row has the values of all aggregations
 * (columns) of its group.
 *
 * 	printa(@a, @b)   one group with the columns a, b
 * 	at the end       one group with one column for each aggregation
 *
 * An aggregation whose uses have keys of different types has variants (vm/program.h):
 * their rows are in its group, and each shows its keys by the types of its own.
 *
 * A column in a row is one word, not 0 if the aggregation has a value under
 * this key, then its value.
 */
#ifndef TRACER_AGGS_AGG_TABLE_H
#define TRACER_AGGS_AGG_TABLE_H

#include "tracer/aggs/agg_snapshot.h"
#include "tracer/aggs/agg_config.h"
#include "tracer/aggs/agg_names.h"
#include "tracer/output/format.h"
#include "tracer/aggs/hist.h"
#include "vm/agg.h"
#include "vm/base/host/strbuf.h"
#include "vm/tuple.h"

#define AGG_ABSENT UINT32_MAX

struct column {
	uint32_t group;	 /* AGG_ABSENT: not part of the snapshot */
	uint32_t offset; /* in the values of a row, words */
};

struct row {
	uint32_t group;	 /* number of its (first) aggregation */
	uint32_t keys;	 /* the aggregation or variant that has the types of its keys */
	uint32_t number; /* in the order of discovery */
	uint32_t key_size;
	uint64_t hash;
	size_t key, values; /* offsets in bytes */
};

struct agg_view {
	struct agg_config config;
	uint32_t naggs;
	bool *is_printed;  /* by aggregation */
	uint64_t *factors; /* by aggregation: normalize(), 0 none */
	int64_t *totals; /* by aggregation: of all rows, not divided; INT64_MAX: more */
	struct column *columns; /* by aggregation */
	uint32_t *row_words;	/* by group: words of all its columns */
	uint64_t *shapes;	/* by aggregation: equal for equal types of keys */
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
	struct agg_names names; /* of the rows */
	struct strbuf scratch;
	uint32_t slot;	       /* number of the source being walked */
	struct source *source; /* the same */
	uint64_t most;	       /* that one of its threads can have counted */
	uint64_t rows_max;     /* of bytes, for rows of this walk */
	void (*each)(void *ctx, const struct agg_entry_view *e); /* of that walk */
	struct agg_walk walk;					 /* its memory, kept */
	uint64_t salt;		   /* of hashes: targets choose the keys */
	uint32_t archive;	   /* slot of home that takes what is moved there */
	bool is_peek;		   /* the snapshot is none that clear() goes by */
	struct agg_snapshot *seen; /* by aggregation */
	struct agg_baseline base;  /* what clear() and trunc() removed */
};

static inline const struct program_agg *agg_of(const struct agg_view *v, uint32_t agg)
{
	return program_agg(v->config.image, agg);
}

/* The column of an aggregation in a row: presence, then the value. */
static inline uint64_t *column_at(const struct agg_view *v, const struct row *r,
				  uint32_t agg)
{
	return (uint64_t *)(void *)(v->bytes.data + r->values) + v->columns[agg].offset;
}

static inline const char *key_at(const struct agg_view *v, const struct row *r)
{
	return v->bytes.data + r->key;
}

/* ---- agg_view.c ---- */

struct view;
/*
 * Calls each(v, ...) for every live element of the view's sources; sets v->slot. What the
 * process of the view cannot have written is left out.
 */
void agg_view_walk(struct agg_view *v, const struct view *from,
		   void (*each)(void *ctx, const struct agg_entry_view *e));

/* Whether the i-th aggregation of a printa() is not one of those before it. */
bool agg_view_is_new(const struct agg_view *v, uint32_t i);

/* ---- agg_order.c ---- */

/*
 * The number that is printed and compared for a scalar, divided by its factor. column
 * points to its presence word and value.
 */
int64_t agg_view_scalar(const struct program_agg *a, const uint64_t *column,
			uint64_t factor);
/* Sorts by the options (aggsortkey and its kin). */
void agg_view_sort(struct agg_view *v);
/* The order of trunc(): by value, then keys, whatever the options say. */
void agg_view_sort_plain(struct agg_view *v);
/* By aggregation, then the other way round than trunc(). */
void agg_view_sort_largest(struct agg_view *v);

/* ---- agg_print.c ---- */

/* All rows in their order; format NULL: the default layout. */
void agg_view_print_rows(struct agg_view *v, const struct format *format);

#endif
