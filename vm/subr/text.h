/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: strings as subroutines take and make them. A text taken is
 * bounded by its length alone: scratch memory may be written by the traced
 * process meanwhile, so its terminator is not searched for again.
 */
#ifndef VM_SUBR_TEXT_H
#define VM_SUBR_TEXT_H

#include "vm/run/firing.h"

/* At most strsize bytes, without the terminator. */
struct text {
	const char *s;
	uint32_t len;
};

/* A string being made in scratch memory: appending past cap is cut off. */
struct text_new {
	char *s;
	uint32_t len, cap;
	uint32_t at; /* offset in scratch memory */
};

/* The string at addr; NULL is a bad address. */
enum fault text_take(struct firing *f, uint64_t addr, struct text *t);
/* Room for most characters, or strsize - 1 if that is less; NOSCRATCH. */
enum fault text_begin(struct firing *f, uint64_t most, struct text_new *t);
void text_append(struct text_new *t, const char *s, uint64_t n);
/* Terminates it and gives back what it does not need; the address. */
uint64_t text_end(struct firing *f, const struct text_new *t);
/* A new string of these n characters as the subroutine's result. */
enum fault text_return(struct firing *f, const char *s, uint64_t n, uint64_t *out);

#endif
