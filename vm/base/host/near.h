/* SPDX-License-Identifier: MIT */
/*
 * "Did you mean": of the names that are offered, those that differ least from an unknown
 * one (edit distance). Bounded in time: after NEAR_MS further names are ignored.
 */
#ifndef VM_BASE_HOST_NEAR_H
#define VM_BASE_HOST_NEAR_H

#include "vm/base/base.h"

#define NEAR_MAX 8
#define NEAR_MS	 50

struct near {
	const char *name; /* borrowed */
	size_t len, limit;
	const char *found[NEAR_MAX]; /* those offered, the nearest first; borrowed */
	size_t distance[NEAR_MAX];
	size_t n, max;
	uint64_t deadline; /* ns of CLOCK_MONOTONIC */
	uint32_t noffered;
	bool is_late;
};

/*
 * Begins a search for up to max names (at most NEAR_MAX) with at most one difference in
 * three letters.
 */
void near_begin(struct near *n, const char *name, size_t max);
/* The same for words that are all known: one difference in four letters. */
void near_begin_strict(struct near *n, const char *name, size_t max);
/* Takes the candidate if it is near enough. Of equal names the first one is kept. */
void near_offer(struct near *n, const char *candidate);
/* The same for a candidate of which these len bytes are compared. */
void near_offer_as(struct near *n, const char *stem, size_t len, const char *candidate);
/* The nearest name; NULL: none. */
static inline const char *near_first(const struct near *n)
{
	return n->n ? n->found[0] : NULL;
}

#endif
