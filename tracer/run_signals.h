/* SPDX-License-Identifier: MIT */
/*
 * The signals of a run: which of them end tracing, and what SIGPIPE does.
 */
#ifndef TRACER_RUN_SIGNALS_H
#define TRACER_RUN_SIGNALS_H

#include "tracer/base/core.h"

struct run_signals {
	sigset_t caught;    /* those that end tracing */
	sigset_t unblocked; /* the mask without them */
	bool is_silent; /* SIGPIPE would end dtrace if nothing else was to be done */
};

/* From now on they only count, in *t->interrupts, and for base/patience.h. */
void run_signals_catch(struct tracer *t, struct run_signals *s);

#endif
