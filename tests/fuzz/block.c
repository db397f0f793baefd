/* SPDX-License-Identifier: MIT */
/*
 * The readers of a state block, and the machine itself, when somebody hostile wrote
 * into it: an input is a list of words stored anywhere after its first page.
 */
#include "tests/unit/support/block_read.h"
#include "tests/fuzz/spoil.h"

#include "vm/agg.h"

#define RECORDS_MAX 20000 /* many more than fit: a reader must not go on for ever */

static struct spoilt block;
static struct rig *rig; /* of it */

static void walk(void *ctx, const struct agg_entry_view *e)
{
	unsigned *sum = ctx;
	const unsigned char *key = e->key;

	for (size_t i = 0; i < e->key_size; i++)
		*sum += key[i];
	for (uint32_t i = 0; i < program_agg(rig->image, e->agg)->words; i++)
		*sum += (unsigned)e->value[i];
}

/* What a record that is cut begins with is dropped. */
static void take_all(struct ring_reader *reader)
{
	static unsigned char bytes[RING_RECORD_MAX];

	for (int i = 0; i < RECORDS_MAX; i++)
		if (ring_take(reader, bytes, sizeof(bytes)) <= 0)
			break;
}

static void read_all(void)
{
	unsigned sum = 0;

	for (uint32_t slot = 0; slot < rig->state->config.nslots; slot++) {
		struct ring_reader reader = {
			.state = rig->state, .slot = slot, .image = rig->image};
		int n = 0;

		while (ring_peek(&reader, rig->buf.bytes, sizeof(rig->buf.bytes)) ==
		       1) {
			assert(rig->buf.record.size <= sizeof(rig->buf.bytes));
			ring_advance(&reader);
			if (++n > RECORDS_MAX)
				break;
		}
		take_all(&reader);
		walk_slot(rig->state, slot, rig->image, walk, &sum);
	}
	for (uint32_t a = 0; a < program_count(rig->image, SECTION_AGG); a++) {
		remove_key(rig->state, rig->image,
			   &(struct element_key){a, "\0\0\0\0\0\0\0\0", a ? 0 : 8});
		agg_clear(rig->state, a);
		agg_trunc(rig->state, a);
	}
}

void fuzz_one(const uint8_t *data, size_t n)
{
	if (!rig) {
		block = spoilt_new();
		rig = block.rig;
	}
	spoil(&block, data, n);
	read_all();
	vm_fire(&rig->vm, &rig->probe, VM_FIRE_END);
	read_all();
}
