/* SPDX-License-Identifier: MIT */
/*
 * Records of one slot on their way from its ring to the output: copied out and
 * checked early, so that a fast producer finds room, printed when it is their turn.
 */
#ifndef TRACER_OUTPUT_STAGE_H
#define TRACER_OUTPUT_STAGE_H

#include "vm/ring.h"

/* What is staged of all slots at most; beyond it the rings fill and drop. */
#define STAGE_MAX (UINT64_C(256) << 20)

struct stage {
	char *data; /* whole records from pos to len */
	size_t pos, len, cap;
};

void stage_release(struct stage *s);
/* Where records come from. */
struct stage_source {
	struct state *state;
	uint32_t slot;
	const void *image;
};

/*
 * Takes what the ring has, until there are limit bytes of it; returns how many were
 * added. Pointers to records of the stage end here.
 */
uint64_t stage_fill(struct stage *s, const struct stage_source *from, uint64_t limit);

/* The oldest record, or NULL. */
static inline const struct record *stage_front(const struct stage *s)
{
	return s->pos < s->len ? (const void *)(s->data + s->pos) : NULL;
}

/* Done with the oldest record, whose memory stays as it is until the next fill. */
static inline void stage_pop(struct stage *s)
{
	s->pos += stage_front(s)->size;
}

#endif
