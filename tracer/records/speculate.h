/* SPDX-License-Identifier: MIT */
/*
 * Keeps the records of speculations until the consumer reaches the record that commits
 * or discards them. The memory is bounded: specsize for each slot and number, and
 * KEPT_MAX bytes of all.
 */
#ifndef TRACER_RECORDS_SPECULATE_H
#define TRACER_RECORDS_SPECULATE_H

#include "vm/record.h"

struct speculations {
	uint32_t nspec;
	uint64_t specsize; /* bytes of memory that one slot may record into one */
	uint64_t bytes;	   /* kept, of all */
	struct speculation *all;
};

void speculations_init(struct speculations *s, uint32_t nspec, uint64_t specsize);
void speculations_release(struct speculations *s);

/*
 * Keeps a copy of a record whose spec is not 0, unless that speculation has ended.
 * nslots: how many slots there are. False: there is no room for it.
 */
bool speculations_keep(struct speculations *s, const struct record *r, size_t nslots);
/*
 * Ends the speculation that a commit or discard record names. After a commit, calls
 * each() for its records in the order in which they were kept, with the following one
 * or NULL.
 */
void speculations_end(struct speculations *s, const struct record *r,
		      void (*each)(void *ctx, const struct record *r,
				   const struct record *next),
		      void *ctx);

#endif
