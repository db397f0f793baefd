/* SPDX-License-Identifier: MIT */
#include "tracer/drops.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct words {
	const char *tag, *what, *after;
	bool is_by_cpu;
} words[DROP_COUNT] = {
#define DROP(counter, tag, what, after, is_by_cpu) {tag, what, after, is_by_cpu},
#include "tracer/drops.def"
#undef DROP
};

void drops_init(struct drops *d, uint32_t nslots)
{
	d->seen = oom_calloc(nslots, sizeof(*d->seen));
}

void drops_release(struct drops *d)
{
	free(d->seen);
	d->seen = NULL;
}

const char *drops_tag(enum drop kind)
{
	return words[kind].tag;
}

static struct drop_counts count(const struct drops *d, uint32_t slot)
{
	const struct state_drops *from = state_drops(d->state, slot);
	struct drop_counts c;

#define DROP(counter, tag, what, after, is_by_cpu)                                     \
	c.n[DROP_##counter] = atomic_load(&from->counter);
#include "tracer/drops.def"
#undef DROP
	return c;
}

void drops_begin(struct drops *d)
{
	d->before = count(d, STATE_SLOT_FRONT);
}

void drops_end(struct drops *d)
{
	struct drop_counts now = count(d, STATE_SLOT_FRONT);

	for (int kind = 0; kind < DROP_COUNT; kind++)
		d->own.n[kind] += now.n[kind] - d->before.n[kind];
}

/* n of one kind, own of them by clauses that were told of others. */
struct lot {
	enum drop kind;
	uint64_t n, own;
	const char *cpu;
};

static void tell(const struct drops *d, bool is_tagged, const struct lot *lot)
{
	const struct words *w = &words[lot->kind];

	if (!lot->n)
		return;
	out_message(d->out, "%s%s%s%" PRIu64 " %s%s%s%s",
		    is_tagged ? "[DTRACEDROP_" : "", is_tagged ? w->tag : "",
		    is_tagged ? "] " : "", lot->n, w->what, lot->n > 1 ? "s" : "",
		    w->after, lot->cpu);
	if (d->lost && lot->n > lot->own)
		d->lost(d->ctx, lot->kind, lot->n - lot->own);
}

static uint64_t take_own(struct drops *d, uint32_t slot, enum drop kind)
{
	uint64_t own = slot == STATE_SLOT_FRONT ? d->own.n[kind] : 0;

	if (own)
		d->own.n[kind] = 0;
	return own;
}

/* The kinds told by CPU are printed, the others added to all. */
static void report_slot(struct drops *d, uint32_t slot, const struct drops_style *style,
			struct lot all[DROP_COUNT])
{
	struct drop_counts now = count(d, slot);
	char cpu[32];

	snprintf(cpu, sizeof(cpu), " on CPU %" PRIu32, style->cpu(style->ctx, slot));
	for (int kind = 0; kind < DROP_COUNT; kind++) {
		struct lot lot = {(enum drop)kind, now.n[kind] - d->seen[slot].n[kind],
				  0, cpu};

		if (!lot.n)
			continue;
		d->seen[slot].n[kind] = now.n[kind];
		lot.own = take_own(d, slot, lot.kind);
		if (words[kind].is_by_cpu) {
			tell(d, style->is_tagged, &lot);
		} else {
			all[kind].n += lot.n;
			all[kind].own += lot.own;
		}
	}
}

void drops_report(struct drops *d, const struct drops_style *style)
{
	struct lot all[DROP_COUNT];

	for (int kind = 0; kind < DROP_COUNT; kind++)
		all[kind] = (struct lot){.kind = (enum drop)kind, .cpu = ""};
	for (uint32_t slot = 0; slot < d->nslots; slot++)
		report_slot(d, slot, style, all);
	for (int kind = 0; kind < DROP_COUNT; kind++)
		tell(d, style->is_tagged, &all[kind]);
}
