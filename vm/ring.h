/* SPDX-License-Identifier: MIT */
/*
 * Reading the records of a slot: one consumer, concurrent with the writer.
 */
#ifndef VM_RING_H
#define VM_RING_H

#include "vm/record.h"
#include "vm/state.h"

/*
 * The reader of a slot's ring: the first three members are set by the caller, the rest
 * is 0 at first. Where it is, and how much it has read, is not taken from the block.
 */
struct ring_reader {
	struct state *state; /* borrowed, as image */
	uint32_t slot;
	const void *image; /* verified */
	bool is_started;
	uint64_t head;	 /* next unread byte */
	uint64_t peeked; /* end of the record last peeked */
	uint64_t peeked_size, consumed;
	uint64_t peeked_room, room_given; /* record.room */
};

/*
 * The oldest unread record of the slot, copied to buf (cap bytes; at least
 * RING_RECORD_MAX) and checked: sizes, item chain, action and clause numbers
 * against the image. Returns 1 and leaves the record unread until
 * ring_advance(), 0 when there is none, or STATUS_BADFMT when the writer
 * spoilt its ring: it is then emptied and counted as a drop.
 */
#define RING_RECORD_MAX 65536
int ring_peek(struct ring_reader *r, void *buf, size_t cap);
/* Nothing unread; cheaper than a look at it. */
bool ring_is_empty(const struct ring_reader *r);
/*
 * Many records at a time, instead of ring_peek() and ring_advance(): copies at most cap
 * bytes of what is unread to buf, in order, and gives their memory back to the pool. The
 * bytes are whole records, but the last one may be cut: the next call goes on there.
 * Nothing of them is checked. Returns how many; 0: there are none; STATUS_BADFMT when
 * the writer spoilt its ring: as ring_give_up().
 */
int64_t ring_take(struct ring_reader *r, void *buf, size_t cap);
/* The slot may use so much of bufsize again: record.room of records that were taken. */
void ring_give_room(struct ring_reader *r, uint64_t room);
/* Empties the ring, because what was taken from it makes no sense: counted as a drop. */
void ring_give_up(struct ring_reader *r);
/*
 * Whether a record that was taken, of which record.size bytes are there, passes the
 * checks of ring_peek(). Its size has been checked.
 */
bool ring_is_record(const struct ring_reader *r, const struct record *record);
/*
 * Of the slot's owner, where records are not consumed meanwhile: gives up the
 * oldest record. False: there is none.
 */
bool ring_forget(struct state *s, uint32_t slot);
/*
 * Looks at the records of a slot whose owner goes on, and forgets old ones, meanwhile.
 * The first three members are set by the caller, the rest is 0 at first. All come once,
 * in order. Before those that were forgotten and are left out, restarts grows.
 */
struct ring_look {
	struct state *state; /* borrowed, as image */
	uint32_t slot;
	const void *image; /* verified */
	bool is_started;
	bool is_cut; /* records were left out, for the owner did not rest */
	uint32_t restarts;
	uint64_t head, tail; /* places in the stream */
	uint64_t passed;     /* bytes of the stream before head */
	uint64_t left;	     /* bytes that may still be looked at */
};

/*
 * The next record, copied to buf (at least RING_RECORD_MAX bytes) and checked as by
 * ring_peek(). 1; 0: there is no more; STATUS_BADFMT: the rest is spoilt.
 */
int ring_look(struct ring_look *l, void *buf, size_t cap);

/* Gives the record last peeked back to the pool. */
void ring_advance(struct ring_reader *r);

#endif
