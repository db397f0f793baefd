/* SPDX-License-Identifier: MIT */
/*
 * Moves the aggregations of a view that has ended to the archive: slots of the home
 * view that no thread writes to.
 */
#include "tracer/aggs/agg_table.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/records/sources.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>

/* Adds the element to the archive; a full slot is followed by the next one. */
static void put(struct agg_view *v, const struct agg_entry_view *e)
{
	struct state *home = v->config.sources->home->state;

	while (v->archive < state_nslots(home)) {
		state_use_slot(home, v->archive);
		agg_keep(home, v->archive); /* aggsize is for what is being traced */
		if (agg_absorb(home, v->archive, v->config.image, e))
			return;
		v->archive++;
	}
	atomic_fetch_add(&state_drops(home, STATE_SLOT_FRONT)->aggs, 1);
}

/* The element without what clear() or trunc() took away. */
static void archive_entry(void *ctx, const struct agg_entry_view *e)
{
	struct agg_view *v = ctx;
	const struct program_agg *a = agg_of(v, e->agg);
	struct agg_entry_view rest = *e;
	bool is_untouched;
	const uint64_t *base = agg_baseline_find(&v->base, v->slot, e, &is_untouched);

	if (base && is_untouched)
		rest.is_reset = true;
	if (base && !is_untouched && !e->is_reset) {
		strbuf_reset(&v->scratch);
		strbuf_add(&v->scratch, (const char *)e->value,
			   a->words * sizeof(uint64_t));
		rest.value = (const void *)v->scratch.data;
		agg_baseline_subtract(a, (void *)v->scratch.data, base);
	}
	put(v, &rest);
}

void agg_view_archive(struct agg_view *v, const struct view *from)
{
	uint32_t *numbers = oom_calloc(from->sources.len + 1, sizeof(*numbers));

	for (size_t i = 0; i < from->sources.len; i++)
		numbers[i] = from->sources.data[i]->number;
	agg_view_walk(v, from, archive_entry);
	agg_baseline_forget(&v->base, numbers, from->sources.len);
	free(numbers);
	/* They name sources that go. */
	for (uint32_t i = 0; i < v->naggs; i++) {
		v->seen[i].elements.len = 0;
		v->seen[i].time = 0;
	}
}
