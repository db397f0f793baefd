/* SPDX-License-Identifier: MIT */
#include "tracer/records/stage.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM RING_RECORD_MAX

void stage_release(struct stage *s)
{
	free(s->data);
	*s = (struct stage){0};
}

/*
 * Makes room for any record. Moves the rest to the front if that frees half of the
 * memory.
 */
static void make_room(struct stage *s)
{
	if (s->pos == s->len) {
		s->pos = s->len = 0;
	} else if (s->pos > s->cap / 2) {
		memmove(s->data, s->data + s->pos, s->len - s->pos);
		s->len -= s->pos;
		s->pos = 0;
	}
	if (s->cap - s->len >= LEAST_ROOM)
		return;
	s->cap = s->cap ? s->cap * 2 : 2 * LEAST_ROOM;
	s->data = oom_realloc(s->data, s->cap);
}

uint64_t stage_fill(struct stage *s, const struct stage_source *from, uint64_t limit)
{
	struct ring_reader *ring = from->ring;
	uint64_t taken = 0, added = 0;

	while (taken < limit && !ring_is_empty(ring)) {
		struct record *r;

		make_room(s);
		if (ring_peek(ring, s->data + s->len, RING_RECORD_MAX) <= 0)
			break;
		ring_advance(ring);
		r = (void *)(s->data + s->len);
		taken += r->size;
		if (!record_check_accepts(from->check, &from->origin, r, &s->last)) {
			atomic_fetch_add(&state_drops(ring->state, ring->slot)->forged,
					 1);
			continue;
		}
		s->len += r->size;
		added += r->size;
	}
	return added;
}
