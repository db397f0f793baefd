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

bool meter_switch_off(struct state *home, uint32_t probe)
{
	if (!home->config.nmeters || probe >= METERS_OFF_MAX)
		return false;
	atomic_fetch_or_explicit(layout_off(home, probe), UINT64_C(1) << probe % 64,
				 memory_order_relaxed);
	return true;
}
