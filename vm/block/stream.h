/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: a slot's records as one stream of bytes over chunks of the
 * pool. A record may begin in one chunk and end in another.
 *
 *	head (consumer)			tail (owner)
 *	   v				   v
 *	+--+--------+   +---------+   +----+----+
 *	|  records  |-->|  ...    |-->| ...|    |-->(linked, not yet committed)
 *	+-----------+   +---------+   +---------+
 *
 * A place is chunk index + 1 and offset in one word, so that a commit, and a
 * consumer's step, is one store. A chunk linked by a record that was abandoned
 * serves the next one.
 */
#ifndef VM_BLOCK_STREAM_H
#define VM_BLOCK_STREAM_H

#include "vm/block/layout.h"

#define STREAM_HEADER 16u
#define STREAM_DATA   (CHUNK_BYTES - STREAM_HEADER)

struct stream_chunk {
	_Atomic uint32_t next; /* index + 1 */
	uint32_t pad[3];
	unsigned char data[STREAM_DATA];
};

_Static_assert(sizeof(struct stream_chunk) == CHUNK_BYTES, "a chunk of the pool");

static inline ring_place place_make(uint32_t chunk, uint32_t offset)
{
	return (uint64_t)chunk << 32 | offset;
}

static inline uint32_t place_chunk(ring_place p)
{
	return (uint32_t)(p >> 32);
}

static inline uint32_t place_offset(ring_place p)
{
	return (uint32_t)p;
}

static inline struct stream_chunk *stream_chunk(const struct state *s, uint32_t link)
{
	if (link == 0 || link > layout_open(s))
		return NULL;
	return (struct stream_chunk *)(void *)layout_chunk(s, link - 1);
}

/* Whether a place read from the block lies in a chunk. */
static inline bool is_place(const struct state *s, ring_place p)
{
	return stream_chunk(s, place_chunk(p)) && place_offset(p) <= STREAM_DATA;
}

#endif
