/* SPDX-License-Identifier: MIT */
/*
 * Loads of target memory that may fault (entry_x86_64.S): the keeper turns a fault
 * in there into a return.
 */
#ifndef HOOK_RESIDENT_GUARD_H
#define HOOK_RESIDENT_GUARD_H

#include "vm/base/base.h"

enum guard_end {
	GUARD_ALL = 0,	 /* n bytes */
	GUARD_NUL = 1,	 /* the NUL after them was copied, too */
	GUARD_FAULT = 2, /* the next one cannot be read */
};

struct guarded {
	uint64_t n;   /* bytes copied */
	uint64_t end; /* enum guard_end */
};

struct guarded guard_copy(void *to, uint64_t from, uint64_t n);
/* Ends after a NUL. */
struct guarded guard_string(char *to, uint64_t from, uint64_t n);
/* One word: in n, unless end is GUARD_FAULT. */
struct guarded guard_word(uint64_t from);
/* How many of the n words at from + at[i] are value[i], up to the first that is not. */
struct guarded guard_same(uint64_t from, const uint32_t *at, const uint64_t *value,
			  uint64_t n);

#endif
