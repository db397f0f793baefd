/* SPDX-License-Identifier: MIT */
#include "tracer/output/drops.h"
#include "tracer/records/sources.h"
#include "vm/base/host/strbuf.h"

#include <inttypes.h>

static const struct words {
	const char *tag, *what, *after;
	bool is_by_cpu;
} words[DROP_COUNT] = {
#define DROP(counter, tag, what, after, is_by_cpu) {tag, what, after, is_by_cpu},
#include "tracer/records/drops.def"
#undef DROP
};

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
#include "tracer/records/drops.def"
#undef DROP
}

/* What is missing in a recording is no drop of the run that reads it. */
static const char missing[] =
	" missing in the recording: a buffer was full when it was made";

/* n drops of one kind; silent ones come from the clauses that handle drops. */
struct lot {
	enum drop kind;
	uint64_t n, unheard;
	int64_t cpu; /* -1: all */
};

static void tell(const struct drops *d, bool is_tagged, const struct lot *lot)
{
	const struct words *w = &words[lot->kind];
	struct form_drop x = {
		.kind = lot->kind, .tag = w->tag, .n = lot->n, .cpu = lot->cpu};
	const char *after = d->is_past && lot->kind == DROP_events ? missing : w->after;
	struct strbuf text = {0};

	if (!lot->n)
		return;
	strbuf_printf(&text, "%s%s%s%" PRIu64 " %s%s%s",
		      is_tagged ? "[DTRACEDROP_" : "", is_tagged ? w->tag : "",
		      is_tagged ? "] " : "", lot->n, w->what, lot->n > 1 ? "s" : "",
		      after);
	if (lot->cpu >= 0)
		strbuf_printf(&text, " on CPU %" PRId64, lot->cpu);
	x.text = text.data;
	d->form->ops->drop(d->form, &x);
	strbuf_release(&text);
	if (d->lost && lot->n > lot->unheard)
		d->lost(d->ctx, lot->kind, lot->n - lot->unheard);
}

/* The new drops of one kind in the slot; none if what it claims is impossible. */
static struct lot take(const struct drops *d, struct source *p, enum drop kind)
{
	struct drop_counts now, unheard;
	struct lot lot = {.kind = kind, .cpu = -1};

	count(state_drops(p->view->state, p->slot), &now, &unheard);
	if (!sources_trust(d->sources, p->view, p->seen.n[kind], now.n[kind],
			   words[kind].what) ||
	    !sources_trust(d->sources, p->view, p->unheard.n[kind], unheard.n[kind],
			   words[kind].what))
		return lot;
	lot.n = now.n[kind] - p->seen.n[kind];
	lot.unheard = unheard.n[kind] - p->unheard.n[kind];
	p->seen.n[kind] = now.n[kind];
	p->unheard.n[kind] = unheard.n[kind];
	return lot;
}

/* Prints the kinds that are reported by CPU, adds the others to the total. */
static void report_source(const struct drops *d, struct source *p, bool is_tagged,
			  struct lot all[DROP_COUNT])
{
	for (int kind = 0; kind < DROP_COUNT; kind++) {
		struct lot lot = take(d, p, (enum drop)kind);

		if (words[kind].is_by_cpu) {
			lot.cpu = p->cpu;
			tell(d, is_tagged, &lot);
		} else {
			all[kind].n = claim_add(all[kind].n, lot.n);
			all[kind].unheard = claim_add(all[kind].unheard, lot.unheard);
		}
	}
}

void drops_report(struct drops *d, bool is_tagged)
{
	struct lot all[DROP_COUNT];

	for (int kind = 0; kind < DROP_COUNT; kind++)
		all[kind] = (struct lot){.kind = (enum drop)kind,
					 .n = d->gone.n[kind],
					 .unheard = d->gone_unheard.n[kind],
					 .cpu = -1};
	d->gone = d->gone_unheard = (struct drop_counts){0};
	sources_find(d->sources);
	for (size_t i = 0; i < d->sources->list.len; i++)
		report_source(d, d->sources->list.data[i], is_tagged, all);
	for (int kind = 0; kind < DROP_COUNT; kind++)
		tell(d, is_tagged, &all[kind]);
}

void drops_keep(struct drops *d, const struct view *v)
{
	for (size_t i = 0; i < v->sources.len; i++)
		for (int kind = 0; kind < DROP_COUNT; kind++) {
			struct lot lot = take(d, v->sources.data[i], (enum drop)kind);

			d->gone.n[kind] = claim_add(d->gone.n[kind], lot.n);
			d->gone_unheard.n[kind] =
				claim_add(d->gone_unheard.n[kind], lot.unheard);
		}
}
