/* SPDX-License-Identifier: MIT */
/*
 * Counts what was lost, and reports each loss once.
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
	/* By slot: reported so far, and how many of those silently. */
	struct drop_counts *seen, *unheard;
	/*
	 * Called with n further drops of a kind after the message was printed; or
	 * NULL.
	 */
	void (*lost)(void *ctx, enum drop kind, uint64_t n);
	void *ctx;
};

void drops_init(struct drops *d, uint32_t nslots);
void drops_release(struct drops *d);

/* Prints one line on stderr for each kind with new drops, by slot or in total. */
struct drops_style {
	bool is_tagged;
	uint32_t (*cpu)(void *ctx, uint32_t slot);
	void *ctx;
};
void drops_report(struct drops *d, const struct drops_style *style);

/* The tag without its beginning, as diag:::lostevent shows it. */
const char *drops_tag(enum drop kind);

#endif
