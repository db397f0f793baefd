/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/shadow.h"
#include "tracer/keeper/space/detours.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

void shadow_release(struct shadow *m)
{
	vec_release(&m->list);
}

/* The masks of the space that are to be kept up to date, or NULL. */
static struct shadow *kept(const struct space *s)
{
	return s->detours && s->detours->masks.is_kept ? &s->detours->masks : NULL;
}

static uint64_t end_of(const struct shadow_entry *m)
{
	return m->at + resident_mask_count(m->original);
}

static void add(struct shadow_list *list, uint64_t at, const uint8_t *original,
		const uint8_t *ours, size_t n)
{
	for (size_t i = 0; i < n; i += RESIDENT_MASK_MAX) {
		uint32_t some = (uint32_t)min_u64(n - i, RESIDENT_MASK_MAX);

		*vec_push(list) = (struct shadow_entry){
			at + i, resident_mask_bytes(original + i, some),
			resident_mask_bytes(ours + i, some)};
	}
}

static void add_site(struct shadow_list *list, const struct bpt_site *site)
{
	static const uint8_t ours = BPT_BYTE;

	if (site->is_set)
		add(list, site->in.addr.v, site->in.bytes, &ours, 1);
}

static int by_address(const void *a, const void *b)
{
	const struct shadow_entry *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void sort(struct shadow_list *list)
{
	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), by_address);
}

/*
 * Into the half that is not in use. Who still reads there has begun two lists ago: it
 * sees that from the word, which was stored before the fence. What a half has no room
 * for, millions of sites, is left out.
 */
static void publish(struct detours *h)
{
	struct resident_block *b = h->block;
	struct resident_mask *to = (void *)((char *)b + b->masks_at);
	uint64_t turn = ++h->masks.turn;
	uint32_t half = b->config.nmasks / 2;
	uint32_t n = (uint32_t)min_u64(h->masks.list.len, half);

	atomic_thread_fence(memory_order_release);
	to += turn & 1 ? half : 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct shadow_entry *m = &h->masks.list.data[i];

		atomic_store_explicit(&to[i].at, m->at, memory_order_relaxed);
		atomic_store_explicit(&to[i].original, m->original,
				      memory_order_relaxed);
		atomic_store_explicit(&to[i].ours, m->ours, memory_order_relaxed);
	}
	atomic_store_explicit(&b->masks, resident_masks(turn, n), memory_order_release);
}

/* Whether the list's next element begins, and ends, before the other's begins. */
static bool is_before(const struct shadow_list *list, size_t next,
		      const struct shadow_entry *other)
{
	return next < list->len && (!other || end_of(&list->data[next]) <= other->at);
}

/*
 * The changes, which are released, take the place of what they overlap, or (is_gone)
 * only remove that.
 */
static void change(struct detours *h, struct shadow_list *changes, bool is_gone)
{
	const struct shadow_list old = h->masks.list;
	struct shadow_list merged = {0};
	size_t i = 0;

	if (!changes->len)
		return;
	sort(changes);
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
	h->masks.list = merged;
	publish(h);
}

void shadow_keep(struct space *s)
{
	struct detours *h = s->detours;
	struct text_patches set = {0};
	struct shadow_list *list = &h->masks.list;

	if (h->masks.is_kept)
		return;
	h->masks.is_kept = true;
	for (size_t i = 0; i < h->list.len; i++)
		if (h->list.data[i].is_on)
			text_patches_add(&set, &h->list.data[i], false);
	for (size_t i = 0; i < set.len; i++)
		add(list, set.data[i].at, set.data[i].from, set.data[i].to,
		    set.data[i].n);
	for (size_t i = 0; i < s->sites.len; i++)
		add_site(list, &s->sites.data[i]);
	vec_release(&set);
	sort(list);
	if (list->len)
		publish(h);
}

void shadow_add_patches(struct space *s, const struct text_patches *set)
{
	struct shadow_list fresh = {0};

	if (!kept(s))
		return;
	for (size_t i = 0; i < set->len; i++) {
		const struct text_patch *p = &set->data[i];

		if (s->detours->list.data[p->number].is_on)
			add(&fresh, p->at, p->from, p->to, p->n);
	}
	change(s->detours, &fresh, false);
}

void shadow_remove_patches(struct space *s, const struct text_patches *undone)
{
	struct shadow_list gone = {0};

	if (!kept(s))
		return;
	for (size_t i = 0; i < undone->len; i++) {
		const struct text_patch *p = &undone->data[i];

		add(&gone, p->at, p->to, p->from, p->n);
	}
	change(s->detours, &gone, true);
}

void shadow_add_bytes(struct space *s, const struct bpt_list *sites)
{
	struct shadow_list fresh = {0};

	if (!kept(s))
		return;
	for (size_t i = 0; i < sites->len; i++)
		add_site(&fresh, &s->sites.data[sites->data[i]]);
	change(s->detours, &fresh, false);
}

void shadow_forget(struct space *s, uint64_t lo, uint64_t hi)
{
	struct shadow *m = kept(s);
	size_t n = 0, old;

	if (!m)
		return;
	old = m->list.len;
	for (size_t i = 0; i < old; i++)
		if (m->list.data[i].at < lo || m->list.data[i].at >= hi)
			m->list.data[n++] = m->list.data[i];
	m->list.len = n;
	if (n < old)
		publish(s->detours);
}
