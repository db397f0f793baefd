/* SPDX-License-Identifier: MIT */
/*
 * Holds the records of one slot between its ring and the output. They are copied and
 * checked early, so that a fast producer finds room, and printed in time order.
 */
#ifndef TRACER_RECORDS_STAGE_H
#define TRACER_RECORDS_STAGE_H

#include "tracer/trust/record_check.h"
#include "vm/ring.h"

/* Bytes staged for all slots at most; beyond it the rings fill and drop. */
#define STAGE_MAX (UINT64_C(256) << 20)

struct stage {
	char *data; /* whole records from pos to len */
	size_t pos, len, cap;
	uint64_t last; /* time of the last record that came in */
};

void stage_release(struct stage *s);
/* Where records come from. */
struct stage_source {
	struct ring_reader *ring;
	struct record_check *check;
	struct record_origin origin;
};

/*
 * Takes records from the ring, at most limit bytes. Those that the check rejects are
 * counted as forged (struct state_drops). Returns the bytes added. Invalidates pointers
 * to records of the stage.
 */
uint64_t stage_fill(struct stage *s, const struct stage_source *from, uint64_t limit);

/* The oldest record, or NULL. */
static inline const struct record *stage_front(const struct stage *s)
{
	return s->pos < s->len ? (const void *)(s->data + s->pos) : NULL;
}

/* Drops the oldest record; its memory stays valid until the next fill. */
static inline void stage_pop(struct stage *s)
{
	s->pos += stage_front(s)->size;
}

#endif
