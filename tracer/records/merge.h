/* SPDX-License-Identifier: MIT */
/*
 * Merges the records of all sources into one stream by time. A heap holds the sources
 * that have a record, ordered by the time of the oldest.
 */
#ifndef TRACER_RECORDS_MERGE_H
#define TRACER_RECORDS_MERGE_H

#include "tracer/records/sources.h"

/* Bytes staged beyond STAGE_MAX: an equal part for each view, so that a process that
 * records faster than is printed makes the rings of no other one fill up. */
#define STAGE_RESERVE (UINT64_C(64) << 20)

struct merge {
	struct sources *sources;    /* borrowed */
	struct record_check *check; /* of what is taken; borrowed */
	struct {
		struct source **data; /* with a record */
		size_t len, cap;
	} heap;
	unsigned since_fill; /* records taken */
	uint64_t staged;     /* bytes in all stages */
};

void merge_init(struct merge *m, struct sources *sources, struct record_check *check);
void merge_release(struct merge *m);

/* Looks for records in every slot that has had an owner. */
void merge_fill(struct merge *m);
/* The earliest record found, or NULL. */
const struct record *merge_first(const struct merge *m);
/* Its source. */
struct source *merge_source(const struct merge *m);
/*
 * Calls each() for records of the first source, in order, and drops those that it takes:
 * until it returns false, or the next record is later than the time or than one of
 * another source. Returns their bytes. Their memory stays valid as after merge_pop().
 */
uint64_t merge_run(struct merge *m, uint64_t until,
		   bool (*each)(void *ctx, const struct record *r), void *ctx);
/* Drops it; its memory stays valid until the next call of one of these functions. */
void merge_pop(struct merge *m);

#endif
