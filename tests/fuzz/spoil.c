/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/spoil.h"

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

void spoil(struct spoilt *b, const uint8_t *data, size_t n)
{
	struct change c;

	memcpy(b->rig->state, b->good, b->rig->state_bytes);
	for (; n >= sizeof(c); data += sizeof(c), n -= sizeof(c)) {
		memcpy(&c, data, sizeof(c));
		spoil_word(b, &c);
	}
}
