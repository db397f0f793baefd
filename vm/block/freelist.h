/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: a lock-free list of free items of one size in the block,
 * shared by processes that may die at any instruction.
 *
 * top is tag << 32 | index + 1; the tag changes with every exchange, so an item
 * taken and given back meanwhile is noticed. The first four bytes of a free
 * item are the index + 1 of the next. Items from fresh on were never used:
 * their pages are not touched before need. A process that dies in between
 * leaks at most the item it had in hand.
 */
#ifndef VM_BLOCK_FREELIST_H
#define VM_BLOCK_FREELIST_H

#include "vm/base/base.h"
#include <stdatomic.h>

#define FREELIST_NONE UINT32_MAX

struct freelist {
	_Atomic uint64_t top;
	_Atomic uint32_t fresh;
};

/* Where the items are; not from shared memory. */
struct freelist_items {
	unsigned char *base;
	uint32_t size, count;
};

/* Index of an item, its content stale, or FREELIST_NONE. */
uint32_t freelist_take(struct freelist *l, const struct freelist_items *items);
/* Index must be below items->count. */
void freelist_give(struct freelist *l, const struct freelist_items *items,
		   uint32_t index);

#endif
