/* SPDX-License-Identifier: MIT */
/*
 * A clause that reads the target's code sees it without our hooks and breakpoints,
 * whichever home it runs in.
 */
#include "hook/resident/level.h"

bool mask_is_needed(const struct level *l, uint64_t page)
{
	return read_is_listed(l, &l->block->texts, page);
}

/* The first mask of n that ends behind an address: by halves. */
static uint32_t first_behind(const struct resident_mask *m, uint32_t n, uint64_t at)
{
	uint32_t lo = 0;

	while (n) {
		uint32_t half = n / 2;

		if (m[lo + half].at + m[lo + half].n <= at) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

static void apply(const struct resident_mask *m, uint64_t at, unsigned char *bytes,
		  uint64_t n)
{
	for (uint32_t i = 0; i < m->n && i < RESIDENT_MASK_MAX; i++)
		if (m->at + i - at < n)
			bytes[m->at + i - at] = m->original[i];
}

void mask_apply(const struct level *l, uint64_t at, unsigned char *bytes, uint64_t n)
{
	const struct resident_block *b = l->block;
	const struct resident_mask *masks =
		(const void *)((const unsigned char *)b + b->masks_at);
	struct list list = list_of(&b->masks, b->config.nmasks);

	masks += list.first;
	for (uint32_t i = first_behind(masks, list.n, at);
	     i < list.n && masks[i].at < at + n; i++)
		apply(&masks[i], at, bytes, n);
}
