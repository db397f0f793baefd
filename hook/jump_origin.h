/* SPDX-License-Identifier: MIT */
/*
 * Private to hook/: where an indirect jump has its address from.
 */
#ifndef HOOK_JUMP_ORIGIN_H
#define HOOK_JUMP_ORIGIN_H

#include "vm/base/base.h"
#include "vm/base/taddr.h"

/* Code up to an indirect jump, of which it is known where its instructions begin. */
struct jump_code {
	const uint8_t *bytes; /* of [lo, at), and the jump */
	size_t n;
	uint64_t lo, at;      /* the jump is at `at` */
	const uint8_t *insns; /* a bit for each byte from `area` on */
	uint64_t area;
};

enum jump_origin {
	JUMP_WHOLE,	/* the address was loaded, or is a result: a tail call */
	JUMP_DISTANCES, /* a sum with a number of 4 or 8 bytes from memory, or unknown */
	JUMP_LABEL, /* a sum with what an instruction names, and with nothing loaded */
	JUMP_COMPUTED, /* from a shorter number */
	JUMP_UNKNOWN,  /* nothing nearby makes it */
};

/*
 * Reads back from the jump, as far as control runs on to it. *label is what a sum was
 * made of, if an instruction names it; else 0.
 */
enum jump_origin jump_origin(const struct jump_code *j, uint64_t *label);

#endif
