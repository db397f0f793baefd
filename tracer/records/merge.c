/* SPDX-License-Identifier: MIT */
#include "tracer/records/merge.h"
#include "vm/base/host/vec.h"
#include "vm/record.h"

/* A fast producer fills a ring in milliseconds: look again after so many records. */
#define FILL_EVERY 64

void merge_init(struct merge *m, struct sources *sources, struct record_check *check)
{
	*m = (struct merge){.sources = sources, .check = check};
}

void merge_release(struct merge *m)
{
	vec_release(&m->heap);
}

static const struct record *record_of(const struct source *p)
{
	return stage_front(&p->stage);
}

/* How much may be taken of the source: its view has a part of its own. */
static uint64_t room_for(const struct merge *m, const struct source *p)
{
	const struct view *v = p->view;
	uint64_t room = STAGE_RESERVE / m->sources->views.len;

	if (m->staged < STAGE_MAX)
		return STAGE_MAX - m->staged;
	for (size_t i = 0; i < v->sources.len && room; i++)
		room -= min_u64(room, stage_bytes(&v->sources.data[i]->stage));
	return room;
}

static void fill(struct merge *m, struct source *p)
{
	uint64_t room = room_for(m, p);

	if (!room)
		return;
	m->staged -= stage_bytes(&p->stage);
	source_fill(p, m->check, room);
	m->staged += stage_bytes(&p->stage);
}

static void pop(struct merge *m, struct source *p)
{
	m->staged -= stage_bytes(&p->stage);
	source_pop(p, m->check);
	m->staged += stage_bytes(&p->stage);
}

static bool is_earlier(const struct source *a, const struct source *b)
{
	uint64_t left = record_of(a)->time, right = record_of(b)->time;

	return left != right ? left < right : a->number < b->number;
}

static void swap(struct source **a, struct source **b)
{
	struct source *t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(struct merge *m, size_t i)
{
	struct source **h = m->heap.data;

	for (size_t child = 2 * i + 1; child < m->heap.len; child = 2 * i + 1) {
		if (child + 1 < m->heap.len && is_earlier(h[child + 1], h[child]))
			child++;
		if (!is_earlier(h[child], h[i]))
			return;
		swap(&h[i], &h[child]);
		i = child;
	}
}

void merge_fill(struct merge *m)
{
	m->heap.len = 0;
	sources_find(m->sources);
	for (size_t i = 0; i < m->sources->list.len; i++) {
		struct source *p = m->sources->list.data[i];

		fill(m, p);
		if (record_of(p))
			*vec_push(&m->heap) = p;
	}
	for (size_t i = m->heap.len; i-- > 0;)
		sift_down(m, i);
}

/* Slots that have records are likely to get more while dtrace prints them. */
static void keep_up(struct merge *m, unsigned n)
{
	m->since_fill += n;
	if (m->since_fill < FILL_EVERY)
		return;
	m->since_fill = 0;
	for (size_t i = 0; i < m->heap.len; i++)
		fill(m, m->heap.data[i]);
}

const struct record *merge_first(const struct merge *m)
{
	return m->heap.len ? record_of(m->heap.data[0]) : NULL;
}

struct source *merge_source(const struct merge *m)
{
	return m->heap.data[0];
}

/* The next record of the same source takes its place, after n that were dropped. */
static void next_in_place(struct merge *m, unsigned n)
{
	struct source *p = m->heap.data[0];

	keep_up(m, n);
	if (!record_of(p))
		fill(m, p);
	if (!record_of(p))
		m->heap.data[0] = m->heap.data[--m->heap.len];
	sift_down(m, 0);
}

void merge_pop(struct merge *m)
{
	struct source *p = m->heap.data[0];

	p->cpu = record_of(p)->cpu;
	pop(m, p);
	next_in_place(m, 1);
}

/* The latest time of a record of the first source that comes before all others. */
static uint64_t last_before_others(const struct merge *m)
{
	struct source *const *h = m->heap.data;
	const struct source *other;
	uint64_t time;

	if (m->heap.len == 1)
		return UINT64_MAX;
	other = h[m->heap.len > 2 && is_earlier(h[2], h[1]) ? 2 : 1];
	time = record_of(other)->time;
	return h[0]->number < other->number ? time : time - 1;
}

uint64_t merge_run(struct merge *m, uint64_t until,
		   bool (*each)(void *ctx, const struct record *r), void *ctx)
{
	struct source *p = m->heap.data[0];
	const uint64_t last = min_u64(until, last_before_others(m));
	const size_t before = stage_bytes(&p->stage);
	const struct record *r = record_of(p);
	unsigned n = 0;
	size_t bytes;

	for (; n < FILL_EVERY && r && r->time <= last && each(ctx, r); n++) {
		p->cpu = r->cpu;
		source_pop(p, m->check);
		r = record_of(p);
	}
	bytes = before - stage_bytes(&p->stage);
	m->staged -= bytes;
	if (n)
		next_in_place(m, n);
	return bytes;
}
