/* SPDX-License-Identifier: MIT */
/* Bytes of a file that are read from the start on; what is missing is zero. */
#ifndef TRACER_RECORDING_READ_CURSOR_H
#define TRACER_RECORDING_READ_CURSOR_H

#include "vm/base/base.h"
#include "vm/base/bytes.h"

struct cursor {
	const unsigned char *at;
	size_t n;      /* bytes that are left */
	bool is_short; /* more were asked for than there were */
};

/* A number of so many bytes, at most 8. If they are not there, nothing is left. */
static inline uint64_t cursor_take(struct cursor *c, size_t size)
{
	uint64_t value;

	if (c->n < size) {
		c->at += c->n;
		c->n = 0;
		c->is_short = true;
		return 0;
	}
	value = bytes_load(c->at, size);
	c->at += size;
	c->n -= size;
	return value;
}

/* The next n bytes, or as many as there are. */
static inline struct cursor cursor_take_bytes(struct cursor *c, uint64_t n)
{
	struct cursor part = {.at = c->at, .n = (size_t)min_u64(n, c->n)};

	c->is_short |= n > c->n;
	c->at += part.n;
	c->n -= part.n;
	return part;
}

/* A text behind its length, which may count zeros at its end. */
static inline struct cursor cursor_take_text(struct cursor *c)
{
	return cursor_take_bytes(c, cursor_take(c, 4));
}

#endif
