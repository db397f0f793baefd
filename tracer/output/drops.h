/* SPDX-License-Identifier: MIT */
/*
 * Counts what was lost, and reports each loss once.
 */
#ifndef TRACER_OUTPUT_DROPS_H
#define TRACER_OUTPUT_DROPS_H

#include "tracer/records/drop_counts.h"
#include "tracer/output/form.h"

struct sources;
struct view;

struct drops {
	struct sources *sources; /* borrowed */
	struct form *form;	 /* borrowed */
	bool is_past; /* the clauses run on a recording: its events were lost then */
	/* Of views that have gone: not yet reported. */
	struct drop_counts gone, gone_unheard;
	/*
	 * Called with n further drops of a kind after the message was printed; or
	 * NULL.
	 */
	void (*lost)(void *ctx, enum drop kind, uint64_t n);
	void *ctx;
};

/* Reports one line for each kind with new drops, by slot or in total. */
void drops_report(struct drops *d, bool is_tagged);
/* The view is about to go: its drops are counted for the next report. */
void drops_keep(struct drops *d, const struct view *v);

/* The tag without its beginning, as diag:::lostevent shows it. */
const char *drops_tag(enum drop kind);

#endif
