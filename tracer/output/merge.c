/* SPDX-License-Identifier: MIT */
#include "tracer/output/merge.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/record.h"

#include <stdlib.h>

/* A fast producer fills a ring in milliseconds: look again after so many records. */
#define FILL_EVERY 64

struct merge_slot {
	struct stage stage;
	uint32_t cpu; /* of the last record: drops are reported by CPU */
};

void merge_init(struct merge *m, const struct merge_source *from)
{
	*m = (struct merge){
		.state = from->state,
		.image = from->image,
		.check = from->check,
		.slots = oom_calloc(from->nslots, sizeof(*m->slots)),
		.nslots = from->nslots,
	};
}

void merge_release(struct merge *m)
{
	for (uint32_t i = 0; i < m->slots_seen; i++)
		stage_release(&m->slots[i].stage);
	free(m->slots);
	vec_release(&m->heap);
}

/* A target may write anything: a slot that was seen once stays. */
uint32_t merge_slots_seen(struct merge *m)
{
	m->slots_seen =
		max_u32(m->slots_seen, min_u32(m->nslots, state_slots_used(m->state)));
	return m->slots_seen;
}

static const struct record *record_of(const struct merge *m, uint32_t slot)
{
	return stage_front(&m->slots[slot].stage);
}

static struct record_origin origin_of(uint32_t slot)
{
	switch (slot) {
	case STATE_SLOT_FRONT:
		return (struct record_origin){.context = CONTEXT_FRONT};
	case STATE_SLOT_KEEPER:
		return (struct record_origin){.context = CONTEXT_KEEPER};
	default:
		return (struct record_origin){.context = CONTEXT_RESIDENT};
	}
}

static void fill(struct merge *m, uint32_t slot)
{
	struct stage_source from = {
		.state = m->state,
		.slot = slot,
		.image = m->image,
		.check = m->check,
		.origin = origin_of(slot),
	};

	if (m->staged < STAGE_MAX)
		m->staged +=
			stage_fill(&m->slots[slot].stage, &from, STAGE_MAX - m->staged);
}

static bool is_earlier(const struct merge *m, uint32_t a, uint32_t b)
{
	uint64_t left = record_of(m, a)->time, right = record_of(m, b)->time;

	return left != right ? left < right : a < b;
}

static void swap_u32(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(struct merge *m, size_t i)
{
	uint32_t *h = m->heap.data;

	for (size_t child = 2 * i + 1; child < m->heap.len; child = 2 * i + 1) {
		if (child + 1 < m->heap.len && is_earlier(m, h[child + 1], h[child]))
			child++;
		if (!is_earlier(m, h[child], h[i]))
			return;
		swap_u32(&h[i], &h[child]);
		i = child;
	}
}

void merge_fill(struct merge *m)
{
	m->heap.len = 0;
	for (uint32_t slot = 0; slot < merge_slots_seen(m); slot++) {
		fill(m, slot);
		if (record_of(m, slot))
			*vec_push(&m->heap) = slot;
	}
	for (size_t i = m->heap.len; i-- > 0;)
		sift_down(m, i);
}

/* Slots that have records are likely to get more while dtrace prints them. */
static void keep_up(struct merge *m)
{
	if (++m->since_fill < FILL_EVERY)
		return;
	m->since_fill = 0;
	for (size_t i = 0; i < m->heap.len; i++)
		fill(m, m->heap.data[i]);
}

const struct record *merge_first(const struct merge *m)
{
	return m->heap.len ? record_of(m, m->heap.data[0]) : NULL;
}

/* The next record of the same slot takes its place. */
void merge_pop(struct merge *m)
{
	uint32_t slot = m->heap.data[0];
	const struct record *r = record_of(m, slot);

	m->slots[slot].cpu = r->cpu;
	m->staged -= r->size;
	stage_pop(&m->slots[slot].stage);
	keep_up(m);
	if (!record_of(m, slot))
		fill(m, slot);
	if (!record_of(m, slot))
		m->heap.data[0] = m->heap.data[--m->heap.len];
	sift_down(m, 0);
}

uint32_t merge_cpu(const struct merge *m, uint32_t slot)
{
	return m->slots[slot].cpu;
}
