/* SPDX-License-Identifier: MIT */
#include "tracer/events/ring_heap.h"
#include "vm/base/host/vec.h"

void ring_heap_release(struct ring_heap *h)
{
	vec_release(h);
}

static bool is_before(const struct ring_key *a, const struct ring_key *b)
{
	return a->time != b->time ? a->time < b->time : a->ring < b->ring;
}

static void swap(struct ring_heap *h, size_t a, size_t b)
{
	struct ring_key key = h->data[a];

	h->data[a] = h->data[b];
	h->data[b] = key;
}

void ring_heap_add(struct ring_heap *h, uint64_t time, uint32_t ring)
{
	size_t i = h->len;

	*vec_push(h) = (struct ring_key){time, ring};
	for (; i > 0 && is_before(&h->data[i], &h->data[(i - 1) / 2]); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
}

const struct ring_key *ring_heap_first(const struct ring_heap *h)
{
	return h->len ? &h->data[0] : NULL;
}

/* The earlier one of those below i, if it is before i; else i. */
static size_t below(const struct ring_heap *h, size_t i)
{
	size_t first = i;

	for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < h->len; k++)
		if (is_before(&h->data[k], &h->data[first]))
			first = k;
	return first;
}

static void sink(struct ring_heap *h)
{
	for (size_t i = 0, k = below(h, 0); k != i; i = k, k = below(h, i))
		swap(h, i, k);
}

void ring_heap_replace(struct ring_heap *h, uint64_t time)
{
	h->data[0].time = time;
	sink(h);
}

void ring_heap_remove(struct ring_heap *h)
{
	h->data[0] = h->data[--h->len];
	sink(h);
}
