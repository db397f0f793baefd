/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/order.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
	uint64_t time, number; /* of the record in the file */
	struct recorded record;
	uint64_t bytes[]; /* of the record; aligned */
};

struct order {
	struct {
		struct waiting **data; /* a heap: the earliest first */
		size_t len, cap;
	} heap;
	struct waiting *current;
	uint64_t count, bytes;
	uint64_t latest; /* that was added */
	uint64_t round;	 /* the latest of the round before */
	uint64_t due;	 /* up to this time */
	uint64_t taken;	 /* the latest that was taken */
	uint64_t late;
};

struct order *order_new(void)
{
	return oom_calloc(1, sizeof(struct order));
}

void order_free(struct order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->heap.len; i++)
		free(o->heap.data[i]);
	vec_release(&o->heap);
	free(o->current);
	free(o);
}

static bool is_before(const struct waiting *a, const struct waiting *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void sift_up(struct order *o, size_t i)
{
	struct waiting **heap = o->heap.data, *w = heap[i];

	for (; i > 0 && is_before(w, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = w;
}

static void sift_down(struct order *o, size_t i)
{
	struct waiting **heap = o->heap.data, *w = heap[i];
	size_t n = o->heap.len, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], w))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = w;
}

void order_add(struct order *o, uint64_t time, const struct recorded *r)
{
	struct waiting *w = oom_realloc(NULL, sizeof(*w) + r->size);

	w->time = time;
	w->number = o->count++;
	w->record = *r;
	w->record.bytes = (const unsigned char *)w->bytes;
	memcpy(w->bytes, r->bytes, r->size);
	*vec_push(&o->heap) = w;
	o->bytes += sizeof(*w) + r->size;
	o->latest = max_u64(o->latest, time);
	o->late += time != 0 && time < o->taken;
	sift_up(o, o->heap.len - 1);
}

/* What the round before had is complete now. */
void order_round(struct order *o)
{
	uint64_t round = o->latest;

	o->due = max_u64(o->due, o->round);
	o->round = round;
}

void order_end(struct order *o)
{
	o->due = UINT64_MAX;
}

bool order_take(struct order *o, struct recorded *out)
{
	struct waiting *first = o->heap.len ? o->heap.data[0] : NULL;

	free(o->current);
	o->current = NULL;
	if (!first || (first->time > o->due && o->bytes < ORDER_BYTES_MAX))
		return false;
	o->heap.data[0] = o->heap.data[--o->heap.len];
	if (o->heap.len)
		sift_down(o, 0);
	o->bytes -= sizeof(*first) + first->record.size;
	o->taken = max_u64(o->taken, first->time);
	o->current = first;
	*out = first->record;
	return true;
}

uint64_t order_late(const struct order *o)
{
	return o->late;
}
