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

void lsda_pads(struct encoded c, uint64_t function,
	       void (*pad)(void *ctx, uint64_t address), void *ctx)
{
	uint64_t base = function, size, at, length, landing, action;
	uint8_t format;

	if (!read_byte(&c, &format) ||
	    (format != ENCODED_OMIT && !encoded_address(&c, format, &base)) ||
	    !read_byte(&c, &format) ||
	    (format != ENCODED_OMIT && !encoded_uleb(&c, &size)) ||
	    !read_byte(&c, &format) || !encoded_uleb(&c, &size))
		return;
	if (size < (uint64_t)(c.end - c.p))
		c.end = c.p + size;
	while (c.p < c.end) {
		if (!encoded_value(&c, format, &at) ||
		    !encoded_value(&c, format, &length) ||
		    !encoded_value(&c, format, &landing) || !encoded_uleb(&c, &action))
			return;
		if (landing)
			pad(ctx, base + landing);
	}
}
