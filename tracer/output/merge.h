/* SPDX-License-Identifier: MIT */
/*
 * Merges the records of all slots into one stream by time. A heap holds the slots that
 * have a record, ordered by the time of the oldest.
 */
#ifndef TRACER_OUTPUT_MERGE_H
#define TRACER_OUTPUT_MERGE_H

#include "tracer/output/stage.h"
#include "tracer/trust/record_check.h"
#include "vm/state.h"

struct merge {
	struct state *state; /* borrowed, as image */
	const void *image;
	struct record_check *check; /* of what is taken; borrowed */
	struct merge_slot *slots;
	uint32_t nslots;
	uint32_t slots_seen; /* slots that have had an owner */
	struct {
		uint32_t *data; /* slots with a record */
		size_t len, cap;
	} heap;
	unsigned since_fill; /* records taken */
	uint64_t staged;     /* bytes in all stages */
};

/* What a merge works on. Everything is borrowed. */
struct merge_source {
	struct state *state;
	const void *image;
	uint32_t nslots;
	struct record_check *check;
};

void merge_init(struct merge *m, const struct merge_source *from);
void merge_release(struct merge *m);

/* Looks for records in every slot that has had an owner. */
void merge_fill(struct merge *m);
/* The earliest record found, or NULL. */
const struct record *merge_first(const struct merge *m);
/* Drops it; its memory stays valid until the next call of one of these functions. */
void merge_pop(struct merge *m);

/* How many slots have had an owner; never fewer than before. */
uint32_t merge_slots_seen(struct merge *m);
/* The CPU that wrote the last record taken from the slot. */
uint32_t merge_cpu(const struct merge *m, uint32_t slot);

#endif
