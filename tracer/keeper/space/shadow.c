/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/shadow.h"
#include "hook/resident.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

void shadow_release(struct shadow *m)
{
	vec_release(&m->list);
}

static uint64_t end_of(const struct shadow_entry *e)
{
	return e->at + resident_shadow_count(e->original);
}

void shadow_note(struct shadow_list *list, taddr at, const uint8_t *original,
		 const uint8_t *ours, size_t n)
{
	for (size_t i = 0; i < n; i += RESIDENT_SHADOW_MAX) {
		uint32_t some = (uint32_t)min_u64(n - i, RESIDENT_SHADOW_MAX);

		*vec_push(list) = (struct shadow_entry){
			at.v + i, resident_shadow_bytes(original + i, some),
			resident_shadow_bytes(ours + i, some)};
	}
}

static int by_address(const void *a, const void *b)
{
	const struct shadow_entry *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/*
 * Writes the list into the half of the block's array that is not in use. A thread that
 * still reads there began two lists ago: it sees that from the word, which was stored
 * before the fence. What a half has no room for, millions of sites, is left out.
 */
static void publish(struct shadow *m, const struct resident_view *v)
{
	struct resident_shadow *to = resident_shadow_table(v);
	uint64_t turn = ++m->turn;
	uint32_t half = v->layout.config.nshadows / 2;
	uint32_t n = (uint32_t)min_u64(m->list.len, v->there.nshadows / 2);

	atomic_thread_fence(memory_order_release);
	to += turn & 1 ? half : 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct shadow_entry *e = &m->list.data[i];

		atomic_store_explicit(&to[i].at, e->at, memory_order_relaxed);
		atomic_store_explicit(&to[i].original, e->original,
				      memory_order_relaxed);
		atomic_store_explicit(&to[i].ours, e->ours, memory_order_relaxed);
	}
	atomic_store_explicit(&v->block->shadows, resident_shadows(turn, n),
			      memory_order_release);
}

/* Whether the list's next element begins, and ends, before the other's begins. */
static bool is_before(const struct shadow_list *list, size_t next,
		      const struct shadow_entry *other)
{
	return next < list->len && (!other || end_of(&list->data[next]) <= other->at);
}

static void change(struct shadow *m, const struct resident_view *v,
		   struct shadow_list *changes, bool is_gone)
{
	const struct shadow_list old = m->list;
	struct shadow_list merged = {0};
	size_t i = 0;

	if (!changes->len)
		return;
	qsort(changes->data, changes->len, sizeof(*changes->data), by_address);
	for (size_t k = 0; k < changes->len; k++) {
		const struct shadow_entry *c = &changes->data[k];

		while (is_before(&old, i, c))
			*vec_push(&merged) = old.data[i++];
		while (i < old.len && old.data[i].at < end_of(c))
			i++;
		if (!is_gone)
			*vec_push(&merged) = *c;
	}
	while (is_before(&old, i, NULL))
		*vec_push(&merged) = old.data[i++];
	free(old.data);
	vec_release(changes);
	m->list = merged;
	publish(m, v);
}

void shadow_insert(struct shadow *m, const struct resident_view *v,
		   struct shadow_list *list)
{
	change(m, v, list, false);
}

void shadow_remove(struct shadow *m, const struct resident_view *v,
		   struct shadow_list *list)
{
	change(m, v, list, true);
}

void shadow_forget(struct shadow *m, const struct resident_view *v, struct addr_range r)
{
	size_t n = 0, old = m->list.len;

	for (size_t i = 0; i < old; i++)
		if (!addr_range_holds(&r, taddr_of(m->list.data[i].at)))
			m->list.data[n++] = m->list.data[i];
	m->list.len = n;
	if (n < old)
		publish(m, v);
}
