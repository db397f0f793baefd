/* SPDX-License-Identifier: MIT */
/*
 * A clause that reads the target's code sees it without our hooks and breakpoints,
 * whichever home it runs in.
 *
 * The keeper does not wait for readers: each element may be of the list asked for or
 * already of a later one, until the word, looked at behind all loads, tells.
 */
#include "hook/resident/level.h"

uint64_t mask_begin(const struct level *l)
{
	return atomic_load_explicit(&l->block->masks, memory_order_acquire);
}

bool mask_end(const struct level *l, uint64_t masks)
{
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&l->block->masks, memory_order_relaxed) == masks;
}

static const struct resident_mask *elements(const struct resident_block *b)
{
	return (const void *)((const unsigned char *)b + b->masks_at);
}

static struct list list_in(const struct resident_block *b, uint64_t masks)
{
	uint32_t half = b->config.nmasks / 2;
	uint32_t n = (uint32_t)(masks & ((1u << RESIDENT_TURN_SHIFT) - 1));

	return (struct list){masks >> RESIDENT_TURN_SHIFT & 1 ? half : 0,
			     n > half ? 0 : n};
}

static uint64_t word(const _Atomic uint64_t *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

/* The first one of the list that ends behind an address: by halves. */
static uint32_t first_behind(const struct resident_mask *m, uint32_t n, uint64_t at)
{
	uint32_t lo = 0;

	while (n) {
		const struct resident_mask *mid = &m[lo + n / 2];

		if (word(&mid->at) + resident_mask_count(word(&mid->original)) <= at) {
			lo += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n = n / 2;
		}
	}
	return lo;
}

bool mask_covers(const struct level *l, uint64_t masks, uint64_t at, uint64_t n)
{
	struct list list = list_in(l->block, masks);
	const struct resident_mask *m = elements(l->block) + list.first;
	uint32_t i = list.n ? first_behind(m, list.n, at) : 0;

	return i < list.n && word(&m[i].at) < at + n;
}

static void apply(const struct resident_mask *m, uint64_t at, unsigned char *bytes,
		  uint64_t n)
{
	uint64_t original = word(&m->original), ours = word(&m->ours);
	uint64_t first = word(&m->at) - at;

	for (uint64_t i = 0; i < resident_mask_count(original); i++)
		if (first + i < n && bytes[first + i] == (uint8_t)(ours >> 8 * i))
			bytes[first + i] = (uint8_t)(original >> 8 * i);
}

void mask_apply(const struct level *l, uint64_t masks, uint64_t at,
		unsigned char *bytes, uint64_t n)
{
	struct list list = list_in(l->block, masks);
	const struct resident_mask *m = elements(l->block) + list.first;

	if (!list.n)
		return;
	for (uint32_t i = first_behind(m, list.n, at);
	     i < list.n && word(&m[i].at) < at + n; i++)
		apply(&m[i], at, bytes, n);
}
