/* SPDX-License-Identifier: MIT */
#include "vm/block/freelist.h"

/* Others always progress when we do not; the bound is against a hostile writer. */
#define FREELIST_TRIES 10000u

static _Atomic uint32_t *item_link(const struct freelist_items *items, uint32_t index)
{
	return (_Atomic uint32_t *)(void *)(items->base +
					    (uint64_t)index * items->size);
}

static uint64_t retagged(uint64_t top, uint32_t link)
{
	return ((top >> 32) + 1) << 32 | link;
}

static uint32_t take_fresh(struct freelist *l, uint32_t count)
{
	uint32_t fresh = atomic_load_explicit(&l->fresh, memory_order_relaxed);

	for (uint32_t i = 0; i < FREELIST_TRIES && fresh < count; i++)
		if (atomic_compare_exchange_weak_explicit(&l->fresh, &fresh, fresh + 1,
							  memory_order_relaxed,
							  memory_order_relaxed))
			return fresh;
	return FREELIST_NONE;
}

uint32_t freelist_take(struct freelist *l, const struct freelist_items *items)
{
	uint64_t top = atomic_load_explicit(&l->top, memory_order_acquire);

	for (uint32_t i = 0; i < FREELIST_TRIES && (uint32_t)top; i++) {
		uint32_t index = (uint32_t)top - 1, link;

		if (index >= items->count)
			return FREELIST_NONE;
		link = atomic_load_explicit(item_link(items, index),
					    memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(
			    &l->top, &top, retagged(top, link), memory_order_acquire,
			    memory_order_acquire))
			return index;
	}
	return take_fresh(l, items->count);
}

void freelist_give(struct freelist *l, const struct freelist_items *items,
		   uint32_t index)
{
	uint64_t top = atomic_load_explicit(&l->top, memory_order_relaxed);

	for (uint32_t i = 0; i < FREELIST_TRIES; i++) {
		atomic_store_explicit(item_link(items, index), (uint32_t)top,
				      memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(
			    &l->top, &top, retagged(top, index + 1),
			    memory_order_release, memory_order_relaxed))
			return;
	}
}
