/* SPDX-License-Identifier: MIT */
/*
 * The counters of what was lost, and what has been told of them so far.
 */
#ifndef TRACER_OUTPUT_DROPS_H
#define TRACER_OUTPUT_DROPS_H

#include "tracer/output/out.h"
#include "vm/state.h"

enum drop {
#define DROP(counter, tag, what, after, is_by_cpu) DROP_##counter,
#include "tracer/output/drops.def"
#undef DROP
	DROP_COUNT
};

struct drop_counts {
	uint64_t n[DROP_COUNT];
};

struct drops {
	struct state *state; /* borrowed */
	struct out *out;     /* borrowed */
	uint32_t nslots;     /* slots to look at, at most those of drops_init() */
	/* By slot: told of, and how many of them nobody was to hear of. */
	struct drop_counts *seen, *unheard;
	/* Told of n more of a kind, when the message has been printed. NULL: nobody. */
	void (*lost)(void *ctx, enum drop kind, uint64_t n);
	void *ctx;
};

void drops_init(struct drops *d, uint32_t nslots);
void drops_release(struct drops *d);

/* One line on stderr for each kind, of each slot or of all, of what is new. */
struct drops_style {
	bool is_tagged;
	uint32_t (*cpu)(void *ctx, uint32_t slot);
	void *ctx;
};
void drops_report(struct drops *d, const struct drops_style *style);

/* The tag without its beginning, as diag:::lostevent shows it. */
const char *drops_tag(enum drop kind);

#endif
