/* SPDX-License-Identifier: MIT */
/*
 * The records of all slots as one stream, by time: a heap holds the slots that have a
 * record, by the time of the oldest.
 */
#ifndef TRACER_OUTPUT_MERGE_H
#define TRACER_OUTPUT_MERGE_H

#include "tracer/output/stage.h"
#include "vm/state.h"

struct merge {
	struct state *state; /* borrowed, as image */
	const void *image;
	struct merge_slot *slots;
	uint32_t nslots;
	uint32_t slots_seen; /* of them have had an owner */
	struct {
		uint32_t *data; /* slots with a record */
		size_t len, cap;
	} heap;
	unsigned since_fill; /* records taken */
	uint64_t staged;     /* bytes in all stages */
};

void merge_init(struct merge *m, struct state *state, const void *image,
		uint32_t nslots);
void merge_release(struct merge *m);

/* Looks for records in every slot that has had an owner. */
void merge_fill(struct merge *m);
/* The earliest record of those found, NULL: none is left. */
const struct record *merge_front(const struct merge *m);
/* Done with it; its memory stays as it is until the next call of any of these. */
void merge_pop(struct merge *m);

/* How many slots have had an owner; never fewer than before. */
uint32_t merge_slots_seen(struct merge *m);
/* The CPU that wrote the slot's last record that was taken. */
uint32_t merge_cpu(const struct merge *m, uint32_t slot);

#endif
