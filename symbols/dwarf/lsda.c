/* SPDX-License-Identifier: MIT */
/*
 * The header gives the base and the formats of the values, then come the call sites:
 *
 *	format, [base of landing pads]  format, [offset of the types]
 *	format of call sites, their size in bytes, call sites ...
 *	call site: start, length, landing pad (0: none), action
 */
#include "symbols/dwarf/lsda.h"

static bool read_byte(struct encoded *c, uint8_t *out)
{
	if (c->p >= c->end)
		return false;
	*out = *c->p;
	encoded_skip(c, 1);
	return true;
}

/* The call sites; returns what is left of the table. */
static const uint8_t *read_sites(struct encoded c, uint8_t format, uint64_t base,
				 void (*pad)(void *ctx, uint64_t address), void *ctx)
{
	uint64_t at, length, landing, action;

	while (c.p < c.end) {
		if (!encoded_value(&c, format, &at) ||
		    !encoded_value(&c, format, &length) ||
		    !encoded_value(&c, format, &landing) || !encoded_uleb(&c, &action))
			break;
		if (landing)
			pad(ctx, base + landing);
	}
	return c.p;
}

uint64_t lsda_pads(struct encoded c, uint64_t function,
		   void (*pad)(void *ctx, uint64_t address), void *ctx)
{
	const uint8_t *start = c.p;
	uint64_t base = function, size;
	uint8_t format;

	if (!read_byte(&c, &format) ||
	    (format != ENCODED_OMIT && !encoded_address(&c, format, &base)) ||
	    !read_byte(&c, &format) ||
	    (format != ENCODED_OMIT && !encoded_uleb(&c, &size)) ||
	    !read_byte(&c, &format) || !encoded_uleb(&c, &size))
		return (uint64_t)(c.p - start);
	if (size < (uint64_t)(c.end - c.p))
		c.end = c.p + size;
	return (uint64_t)(read_sites(c, format, base, pad, ctx) - start);
}
