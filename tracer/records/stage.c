/* SPDX-License-Identifier: MIT */
#include "tracer/records/stage.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that are taken at a time: they stay in the cache until their sizes are read. */
#define PIECE RING_RECORD_MAX

void stage_release(struct stage *s)
{
	free(s->data);
	*s = (struct stage){0};
}

/*
 * Makes room for a piece. Moves the rest to the front if that frees half of the memory.
 */
static void make_room(struct stage *s)
{
	if (s->pos && (s->pos == s->len || s->pos > s->cap / 2)) {
		memmove(s->data, s->data + s->pos, s->len - s->pos);
		s->len -= s->pos;
		s->whole -= s->pos;
		s->pos = 0;
	}
	if (s->cap - s->len >= PIECE)
		return;
	s->cap = s->cap ? s->cap * 2 : 2 * PIECE;
	s->data = oom_realloc(s->data, s->cap);
}

static bool has_header(const struct stage *s)
{
	return s->len - s->whole >= sizeof(struct record);
}

/* Finds the records that are whole by now. False: their sizes make no sense. */
static bool find_whole(struct stage *s, struct ring_reader *ring)
{
	bool is_good = true;
	uint64_t room = 0;

	while (has_header(s)) {
		const struct record *r = (const void *)(s->data + s->whole);

		is_good = r->size >= sizeof(*r) && r->size % 8 == 0 &&
			  r->size <= RING_RECORD_MAX;
		if (!is_good || r->size > s->len - s->whole)
			break;
		room += r->room;
		s->whole += r->size;
	}
	ring_give_room(ring, room);
	return is_good;
}

void stage_fill(struct stage *s, const struct stage_source *from, uint64_t limit)
{
	struct ring_reader *ring = from->ring;
	uint64_t taken = 0;
	int64_t n;

	while (taken < limit && !ring_is_empty(ring)) {
		make_room(s);
		n = ring_take(ring, s->data + s->len, PIECE);
		if (n <= 0) {
			s->len = s->whole;
			return;
		}
		s->len += (size_t)n;
		taken += (uint64_t)n;
		if (!find_whole(s, ring)) {
			s->len = s->whole;
			ring_give_up(ring);
		}
	}
}

static void drop_all(struct stage *s, struct ring_reader *ring)
{
	s->pos = s->whole = s->len;
	ring_give_up(ring);
}

static void drop_forged(struct stage *s, const struct ring_reader *ring, uint32_t size)
{
	atomic_fetch_add(&state_drops(ring->state, ring->slot)->forged, 1);
	s->pos += size;
}

void stage_check(struct stage *s, const struct stage_source *from)
{
	while (!s->is_checked && stage_has_record(s)) {
		struct record *r = (void *)(s->data + s->pos);

		s->is_checked = record_check_accepts_plain(from->check, &from->origin,
							   r, &s->last);
		if (s->is_checked)
			return;
		if (!ring_is_record(from->ring, r))
			drop_all(s, from->ring);
		else if (record_check_accepts(from->check, &from->origin, r, &s->last))
			s->is_checked = true;
		else
			drop_forged(s, from->ring, r->size);
	}
}
