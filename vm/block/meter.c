/* SPDX-License-Identifier: MIT */
#include "vm/meter.h"
#include "vm/block/layout.h"

static uint64_t read_word(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

bool meter_read(const struct state *s, uint32_t slot, uint32_t i, struct meter *out)
{
	struct meters *m = layout_meters(s, layout_slot(s, slot));
	const struct meter_cell *c = &meters_cells(m)[i];

	if (i > s->config.nmeters || !s->config.nmeters || i > read_word(&m->used))
		return false;
	*out = (struct meter){
		.probe = i ? atomic_load_explicit(&c->probe, memory_order_relaxed) : 0,
		.fired = read_word(&c->fired),
		.timed = read_word(&c->timed),
		.ns = read_word(&c->ns),
	};
	return true;
}
