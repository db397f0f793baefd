/* SPDX-License-Identifier: MIT */
/*
 * A clause that reads the target's code sees it without detours and breakpoints, in
 * every execution context.
 *
 * The keeper does not wait for readers: each element may be of the list asked for or
 * already of a later one; the word, loaded again after all other loads, shows which.
 */
#include "hook/resident/level.h"

uint64_t shadow_begin(const struct level *l)
{
	return atomic_load_explicit(&l->block->shadows, memory_order_acquire);
}

bool shadow_end(const struct level *l, uint64_t shadows)
{
	uint64_t now;

	atomic_thread_fence(memory_order_acquire);
	now = atomic_load_explicit(&l->block->shadows, memory_order_relaxed);
	return now == shadows;
}

static const struct resident_shadow *elements(const struct resident_block *b)
{
	return (const void *)((const unsigned char *)b + b->layout.shadows_at);
}

static struct list list_in(const struct resident_block *b, uint64_t shadows)
{
	uint32_t half = b->layout.config.nshadows / 2;
	uint32_t n = (uint32_t)(shadows & ((1u << RESIDENT_TURN_SHIFT) - 1));

	return (struct list){shadows >> RESIDENT_TURN_SHIFT & 1 ? half : 0,
			     n > half ? 0 : n};
}

static uint64_t word(const _Atomic uint64_t *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

/* The first one of the list that ends after an address: by halves. */
static uint32_t first_behind(const struct resident_shadow *m, uint32_t n, uint64_t at)
{
	uint32_t lo = 0;

	while (n) {
		const struct resident_shadow *mid = &m[lo + n / 2];

		if (word(&mid->at) + resident_shadow_count(word(&mid->original)) <=
		    at) {
			lo += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n = n / 2;
		}
	}
	return lo;
}

bool shadow_covers(const struct level *l, uint64_t shadows, uint64_t at, uint64_t n)
{
	struct list list = list_in(l->block, shadows);
	const struct resident_shadow *m = elements(l->block) + list.first;
	uint32_t i = list.n ? first_behind(m, list.n, at) : 0;

	return i < list.n && word(&m[i].at) < at + n;
}

static void apply(const struct resident_shadow *m, uint64_t at, unsigned char *bytes,
		  uint64_t n)
{
	uint64_t original = word(&m->original), ours = word(&m->ours);
	uint64_t first = word(&m->at) - at;

	for (uint64_t i = 0; i < resident_shadow_count(original); i++)
		if (first + i < n && bytes[first + i] == (uint8_t)(ours >> 8 * i))
			bytes[first + i] = (uint8_t)(original >> 8 * i);
}

void shadow_apply(const struct level *l, uint64_t shadows, uint64_t at,
		  unsigned char *bytes, uint64_t n)
{
	struct list list = list_in(l->block, shadows);
	const struct resident_shadow *m = elements(l->block) + list.first;

	if (!list.n)
		return;
	for (uint32_t i = first_behind(m, list.n, at);
	     i < list.n && word(&m[i].at) < at + n; i++)
		apply(&m[i], at, bytes, n);
}
