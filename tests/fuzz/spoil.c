/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/spoil.h"

#include "vm/agg/shard.h"
#include "vm/block/stream.h"
#include "vm/record.h"

struct spoilt spoilt_new(void)
{
	size_t size;
	void *image = build_everything(&size);
	struct state_config c = rig_config(image);
	struct spoilt b = {.rig = rig_with(image, size, &c)};

	b.rig->vm.error = &b.rig->error;
	b.rig->error.nenablings = 1;
	for (int i = 0; i < 5; i++)
		vm_fire(&b.rig->vm, &b.rig->probe, VM_FIRE_END);
	b.good = malloc(b.rig->state_bytes);
	assert(b.good);
	memcpy(b.good, b.rig->state, b.rig->state_bytes);
	return b;
}

/* Areas close to what readers follow are hit more often than the bulk. */
static uint64_t area(const struct spoilt *b, uint32_t number)
{
	const struct state *s = b->rig->state;
	uint64_t slot = s->slots_at + b->rig->vm.slot * s->slot_bytes;
	const uint64_t areas[] = {
		PAGE, /* of the exchange */
		s->variables_at,
		s->aggs_at,
		s->globals_at,
		s->buckets_at,
		s->cells_at,
		slot,
		slot + s->locals_at,
		slot + s->shard_buckets_at,
		slot + s->shard_chunks_at,
		s->pool_at,
	};

	return areas[number % ARRAY_LEN(areas)];
}

static void spoil_word(struct spoilt *b, const struct change *c)
{
	struct state *s = b->rig->state;
	uint64_t from = area(b, c->kind_and_area & 0xffff);
	/* near its start for one half of the changes */
	uint64_t span = c->kind_and_area >> 16 & 1 ? 512 : b->rig->state_bytes;
	uint64_t at = from + c->at % span / 4 * 4;

	at = PAGE + (at - PAGE) % (b->rig->state_bytes - PAGE - 8);
	memcpy((unsigned char *)s + at, &c->value, c->kind_and_area >> 17 & 1 ? 8 : 4);
}

/* ---- circles: what a walk without a bound never gets out of ---- */

/* Records without an item, as many as fit: without small limits they fill the chunk. */
static void fill_chunk(struct stream_chunk *c, const struct record *like)
{
	struct record r = *like;

	r.size = sizeof(r);
	r.kind = RECORD_DATA;
	r.spec = 0;
	for (size_t at = 0; at + sizeof(r) <= STREAM_DATA; at += sizeof(r))
		memcpy(c->data + at, &r, sizeof(r));
}

/* The ring's chunks are followed by those `step` further on; its end is in none of them. */
static void circle_ring(struct spoilt *b, uint32_t step)
{
	struct state *s = b->rig->state;
	struct slot *slot = layout_slot(s, b->rig->vm.slot);
	struct stream_chunk *first = stream_chunk(s, slot->first);
	struct record like;

	if (!first)
		return;
	memcpy(&like, first->data, sizeof(like));
	fill_chunk(first, &like);
	for (uint32_t i = 0; i < s->nchunks; i++) {
		struct stream_chunk *c = stream_chunk(s, i + 1);

		c->next = (i + step) % s->nchunks + 1;
	}
	slot->tail = place_make(place_chunk(slot->tail) % s->nchunks + 1, 8);
}

/* Every page of the shard is the same chunk; all of it is used. */
static void circle_shard(struct spoilt *b, uint32_t link)
{
	struct state *s = b->rig->state;
	struct slot *slot = layout_slot(s, b->rig->vm.slot);
	_Atomic uint32_t *chunks = layout_shard_chunks(s, slot);

	if (link % 2)
		link = chunks[0];
	for (uint32_t i = 0; i < s->shard_chunks; i++)
		chunks[i] = link % s->nchunks + !(link % s->nchunks);
	slot->shard_used = s->shard_bytes;
}

/* The element at the beginning of the shard is the next one of itself, in each bucket. */
static void circle_elements(struct spoilt *b)
{
	struct shard h = shard_of(b->rig->state, b->rig->vm.slot);
	struct element *e = shard_element(&h, 0);

	if (!e)
		return;
	e->next = 1;
	for (uint32_t i = 0; i < b->rig->state->shard_buckets; i++)
		h.buckets[i] = 1;
}

/* Cells follow each other in circles, as elements of a bucket, as parts of one, or both. */
static void circle_cells(struct spoilt *b, uint32_t step, uint32_t which)
{
	struct state *s = b->rig->state;
	uint32_t *buckets = layout_at(s, s->buckets_at);

	for (uint32_t i = 0; i < s->ncells; i++) {
		/* more, next: struct cell of vm/run/dynvar.c */
		uint32_t *links = layout_at(s, s->cells_at + (uint64_t)i * CELL_BYTES);

		if (which != 1)
			links[0] = (i + step) % s->ncells + 1;
		if (which != 2)
			links[1] = (i + step) % s->ncells + 1;
	}
	for (uint32_t i = 0; i < s->nbuckets; i++)
		buckets[i] = i % s->ncells + 1;
}

static void circle(struct spoilt *b, const struct change *c)
{
	switch (c->at % 4) {
	case 0:
		circle_ring(b, (uint32_t)c->value % 3);
		break;
	case 1:
		circle_shard(b, (uint32_t)c->value);
		break;
	case 2:
		circle_elements(b);
		break;
	default:
		circle_cells(b, (uint32_t)c->value % 3, (uint32_t)(c->value >> 32) % 3);
	}
}

void spoil(struct spoilt *b, const uint8_t *data, size_t n)
{
	struct change c;

	memcpy(b->rig->state, b->good, b->rig->state_bytes);
	for (; n >= sizeof(c); data += sizeof(c), n -= sizeof(c)) {
		memcpy(&c, data, sizeof(c));
		if ((c.kind_and_area & CHANGE_CIRCLE) == CHANGE_CIRCLE)
			circle(b, &c);
		else
			spoil_word(b, &c);
	}
}
