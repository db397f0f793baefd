/* SPDX-License-Identifier: MIT */
#include "tracer/aggs/agg_snapshot.h"
#include "vm/base/host/vec.h"

#include <time.h>

void agg_snapshot_release(struct agg_snapshot *s)
{
	vec_release(&s->elements);
	strbuf_release(&s->bytes);
}

void agg_snapshot_begin(struct agg_snapshot *s)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	s->time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	s->elements.len = 0;
	strbuf_reset(&s->bytes);
}

static size_t keep(struct strbuf *b, const void *p, size_t n)
{
	size_t at = b->len;

	strbuf_add(b, p, n);
	strbuf_pad(b, '\0', align_up(n, 8) - n);
	return at;
}

void agg_snapshot_add(struct agg_snapshot *s, uint32_t slot, uint32_t row,
		      uint32_t words, const struct agg_entry_view *e)
{
	struct agg_snapshot_element *x = vec_push(&s->elements);

	*x = (struct agg_snapshot_element){.slot = slot,
					   .row = row,
					   .agg = e->agg,
					   .sequence = e->sequence,
					   .removed = e->removed,
					   .offset = e->offset,
					   .key_size = e->key_size};
	x->key = keep(&s->bytes, e->key, e->key_size);
	x->value = keep(&s->bytes, e->value, words * sizeof(*e->value));
}

void agg_snapshot_drop(struct agg_snapshot *s, const bool *goes)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->elements.len; i++)
		if (!goes[s->elements.data[i].row])
			s->elements.data[kept++] = s->elements.data[i];
	s->elements.len = kept;
}

struct agg_entry_view agg_snapshot_view(const struct agg_snapshot *s, size_t i)
{
	const struct agg_snapshot_element *x = &s->elements.data[i];

	return (struct agg_entry_view){
		.agg = x->agg,
		.key = s->bytes.data + x->key,
		.key_size = x->key_size,
		.value = (const uint64_t *)(const void *)(s->bytes.data + x->value),
		.sequence = x->sequence,
		.removed = x->removed,
		.offset = x->offset,
	};
}
