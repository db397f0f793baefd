/* SPDX-License-Identifier: MIT */
/*
 * Holds the records of one slot between its ring and the output. They are copied early,
 * many at a time, so that a fast producer finds room. Each is checked, in the copy, when
 * its turn comes.
 */
#ifndef TRACER_RECORDS_STAGE_H
#define TRACER_RECORDS_STAGE_H

#include "tracer/trust/record_check.h"
#include "vm/ring.h"

/* Bytes staged for all slots at most; beyond it the rings fill and drop. */
#define STAGE_MAX (UINT64_C(256) << 20)

struct stage {
	char *data; /* whole records from pos to whole, then the beginning of one */
	size_t pos, whole, len, cap;
	bool is_checked; /* the record at pos */
	uint64_t last;	 /* time of the last record that was accepted */
};

void stage_release(struct stage *s);

/* Where records come from. */
struct stage_source {
	struct ring_reader *ring;
	struct record_check *check;
	struct record_origin origin;
};

/*
 * Takes at most limit bytes from the ring, and some more to the end of a piece. Only the
 * sizes of the records are looked at. Invalidates pointers to records of the stage.
 */
void stage_fill(struct stage *s, const struct stage_source *from, uint64_t limit);

/*
 * Checks the oldest record, so that stage_front() returns it. Those that the check
 * rejects are dropped and counted as forged (struct state_drops). After one that is
 * malformed the rest of the stage and of the ring is dropped.
 */
void stage_check(struct stage *s, const struct stage_source *from);

/* Bytes that it holds. */
static inline size_t stage_bytes(const struct stage *s)
{
	return s->len - s->pos;
}

/* Whether a whole record is there, checked or not. */
static inline bool stage_has_record(const struct stage *s)
{
	return s->pos < s->whole;
}

/* The oldest record, once it was checked; else NULL. */
static inline const struct record *stage_front(const struct stage *s)
{
	return s->is_checked ? (const void *)(s->data + s->pos) : NULL;
}

/* Drops the oldest record; its memory stays valid until the next fill. */
static inline void stage_pop(struct stage *s)
{
	s->pos += stage_front(s)->size;
	s->is_checked = false;
}

#endif
