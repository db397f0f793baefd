/* SPDX-License-Identifier: MIT */
#include "tracer/stage.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM RING_RECORD_MAX

void stage_release(struct stage *s)
{
	free(s->data);
	*s = (struct stage){0};
}

/* Room for any record; moves what is left to the front where that frees half. */
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

void stage_fill(struct stage *s, struct state *state, uint32_t slot, const void *image)
{
	while (s->len - s->pos <= STAGE_MAX && !ring_is_empty(state, slot)) {
		int found;

		make_room(s);
		found = ring_peek(state, slot, image, s->data + s->len,
				  RING_RECORD_MAX);
		if (found <= 0)
			return;
		s->len += ((const struct record *)(void *)(s->data + s->len))->size;
		ring_advance(state, slot);
	}
}
