/* SPDX-License-Identifier: MIT */
/*
 * The readers of a state block, and the machine itself, when somebody hostile wrote
 * into it: an input is a list of words stored anywhere behind its first page.
 */
#include "tests/fuzz/fuzz.h"

#include "tests/unit/vm_everything.h"
#include "vm/agg.h"
#include "vm/layout.h"

#define PAGE	    4096u
#define RECORDS_MAX 20000 /* many more than fit: a reader must not go on for ever */

struct change {
	uint32_t at;
	uint32_t kind_and_area; /* low 16 bits: where at counts from */
	uint64_t value;
};

static struct rig *rig;
static unsigned char *good; /* the block as the machine left it */

static void walk(void *ctx, const struct agg_entry_view *e)
{
	unsigned *sum = ctx;
	const unsigned char *key = e->key;

	for (size_t i = 0; i < e->key_size; i++)
		*sum += key[i];
	for (uint32_t i = 0; i < program_agg(rig->image, e->agg)->words; i++)
		*sum += (unsigned)e->value[i];
}

static void begin(void)
{
	size_t size;
	void *image = build_everything(&size);
	struct state_config c = rig_config(image);

	rig = rig_with(image, size, &c);
	rig->vm.error = &rig->error;
	rig->error.nenablings = 1;
	for (int i = 0; i < 5; i++)
		vm_fire(&rig->vm, &rig->probe, VM_FIRE_END);
	good = malloc(rig->state_bytes);
	assert(good);
	memcpy(good, rig->state, rig->state_bytes);
}

/* Areas close to what readers follow are hit more often than the bulk. */
static uint64_t area(const struct state *s, uint32_t number)
{
	uint64_t slot = s->slots_at + rig->vm.slot * s->slot_bytes;
	const uint64_t areas[] = {
		PAGE,
		s->shared_at,
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

static void spoil(const struct change *c)
{
	struct state *s = rig->state;
	uint64_t from = area(s, c->kind_and_area & 0xffff);
	/* near its start for one half of the changes */
	uint64_t span = c->kind_and_area >> 16 & 1 ? 512 : rig->state_bytes;
	uint64_t at = from + c->at % span / 4 * 4;

	at = PAGE + (at - PAGE) % (rig->state_bytes - PAGE - 8);
	memcpy((unsigned char *)s + at, &c->value, c->kind_and_area >> 17 & 1 ? 8 : 4);
}

static void read_all(void)
{
	unsigned sum = 0;

	for (uint32_t slot = 0; slot < rig->state->config.nslots; slot++) {
		int n = 0;

		while (ring_peek(rig->state, slot, rig->image, rig->buf.bytes,
				 sizeof(rig->buf.bytes)) == 1) {
			assert(rig->buf.record.size <= sizeof(rig->buf.bytes));
			ring_advance(rig->state, slot);
			if (++n > RECORDS_MAX)
				break;
		}
		agg_walk(rig->state, slot, rig->image, walk, &sum);
	}
	for (uint32_t a = 0; a < program_count(rig->image, SECTION_AGG); a++) {
		agg_remove(rig->state, a, "\0\0\0\0\0\0\0\0", a ? 0 : 8);
		agg_clear(rig->state, a);
		agg_trunc(rig->state, a);
	}
}

void fuzz_one(const uint8_t *data, size_t n)
{
	struct change c;

	if (!rig)
		begin();
	memcpy(rig->state, good, rig->state_bytes);
	for (; n >= sizeof(c); data += sizeof(c), n -= sizeof(c)) {
		memcpy(&c, data, sizeof(c));
		spoil(&c);
	}
	read_all();
	vm_fire(&rig->vm, &rig->probe, VM_FIRE_END);
	read_all();
}
