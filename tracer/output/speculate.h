/* SPDX-License-Identifier: MIT */
/*
 * Keeps the records of speculations until the consumer reaches the record that commits
 * or discards them. The memory is bounded: nspec times specsize for each slot, and a
 * few generations of each number.
 */
#ifndef TRACER_OUTPUT_SPECULATE_H
#define TRACER_OUTPUT_SPECULATE_H

#include "vm/record.h"

struct speculations {
	uint32_t nspec;
	uint64_t limit; /* bytes of one speculation */
	struct speculation *all;
};

/* nslots: how many write records of at most specsize bytes for each number. */
void speculations_init(struct speculations *s, uint32_t nspec, uint64_t specsize,
		       uint32_t nslots);
void speculations_release(struct speculations *s);

/* Keeps a copy of a record whose spec is not 0, unless that speculation has ended. */
void speculations_keep(struct speculations *s, const struct record *r);
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
