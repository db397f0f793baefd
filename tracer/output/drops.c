/* SPDX-License-Identifier: MIT */
#include "tracer/output/drops.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct words {
	const char *tag, *what, *after;
	bool is_by_cpu;
} words[DROP_COUNT] = {
#define DROP(counter, tag, what, after, is_by_cpu) {tag, what, after, is_by_cpu},
#include "tracer/output/drops.def"
#undef DROP
};

void drops_init(struct drops *d, uint32_t nslots)
{
	d->seen = oom_calloc(nslots, sizeof(*d->seen));
	d->unheard = oom_calloc(nslots, sizeof(*d->unheard));
}

void drops_release(struct drops *d)
{
	free(d->seen);
	free(d->unheard);
	d->seen = d->unheard = NULL;
}

const char *drops_tag(enum drop kind)
{
	return words[kind].tag;
}

static void count(const struct state_drops *from, struct drop_counts *all,
		  struct drop_counts *unheard)
{
#define DROP(counter, tag, what, after, is_by_cpu)                                     \
	unheard->n[DROP_##counter] = atomic_load(&from->unheard.counter);              \
	all->n[DROP_##counter] = atomic_load(&from->counter);
#include "tracer/output/drops.def"
#undef DROP
}

/* n drops of one kind; silent ones come from the clauses that handle drops. */
struct lot {
	enum drop kind;
	uint64_t n, unheard;
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
	if (d->lost && lot->n > lot->unheard)
		d->lost(d->ctx, lot->kind, lot->n - lot->unheard);
}

/* The new drops of one kind in the slot. */
static struct lot take(struct drops *d, uint32_t slot, enum drop kind)
{
	struct drop_counts now, unheard;
	struct lot lot = {.kind = kind};

	count(state_drops(d->state, slot), &now, &unheard);
	lot.n = now.n[kind] - d->seen[slot].n[kind];
	lot.unheard = unheard.n[kind] - d->unheard[slot].n[kind];
	d->seen[slot].n[kind] = now.n[kind];
	d->unheard[slot].n[kind] = unheard.n[kind];
	return lot;
}

/* Prints the kinds that are reported by CPU, adds the others to the total. */
static void report_slot(struct drops *d, uint32_t slot, const struct drops_style *style,
			struct lot all[DROP_COUNT])
{
	char cpu[32];

	snprintf(cpu, sizeof(cpu), " on CPU %" PRIu32, style->cpu(style->ctx, slot));
	for (int kind = 0; kind < DROP_COUNT; kind++) {
		struct lot lot = take(d, slot, (enum drop)kind);

		lot.cpu = cpu;
		if (words[kind].is_by_cpu) {
			tell(d, style->is_tagged, &lot);
		} else {
			all[kind].n += lot.n;
			all[kind].unheard += lot.unheard;
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
