/* SPDX-License-Identifier: MIT */
#include "tracer/output/agg_snapshot.h"
#include "vm/base/host/vec.h"

#include <time.h>

void aggseen_release(struct aggseen *s)
{
	vec_release(&s->elements);
	strbuf_release(&s->bytes);
}

void aggseen_begin(struct aggseen *s)
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

void aggseen_add(struct aggseen *s, uint32_t slot, uint32_t row, uint32_t words,
		 const struct agg_entry_view *e)
{
	struct aggseen_element *x = vec_push(&s->elements);

	*x = (struct aggseen_element){.slot = slot,
				      .row = row,
				      .sequence = e->sequence,
				      .removed = e->removed,
				      .key_size = e->key_size};
	x->key = keep(&s->bytes, e->key, e->key_size);
	x->value = keep(&s->bytes, e->value, words * sizeof(*e->value));
}

void aggseen_drop(struct aggseen *s, const bool *goes)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->elements.len; i++)
		if (!goes[s->elements.data[i].row])
			s->elements.data[kept++] = s->elements.data[i];
	s->elements.len = kept;
}

struct agg_entry_view aggseen_view(const struct aggseen *s, uint32_t agg, size_t i)
{
	const struct aggseen_element *x = &s->elements.data[i];

	return (struct agg_entry_view){
		.agg = agg,
		.key = s->bytes.data + x->key,
		.key_size = x->key_size,
		.value = (const uint64_t *)(const void *)(s->bytes.data + x->value),
		.sequence = x->sequence,
		.removed = x->removed,
	};
}
