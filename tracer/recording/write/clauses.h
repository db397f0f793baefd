/* SPDX-License-Identifier: MIT */
/*
 * The clauses that record firings. There are two: one for probes of which a clause of the
 * program takes a stack, one for the others. Probes that events of the kernel fire have
 * none: the events themselves are recorded (kernel_events.h).
 */
#ifndef TRACER_RECORDING_WRITE_CLAUSES_H
#define TRACER_RECORDING_WRITE_CLAUSES_H

#include "tracer/base/core.h"

struct recorder_clauses {
	const struct tracer *t; /* borrowed */
	bool is_compiling;
	uint32_t n;	    /* how many of them have been compiled */
	uint32_t number[2]; /* of the clause, without and with stacks */
	bool *takes_stack;  /* by clause of the program; owned */
	uint32_t count;	    /* of these */
	uint32_t frames;    /* the most that any of them takes; 0: none does */
};

/* Compiles them and adds them to the probes of all programs. Messages: as dlang.h. */
int recorder_clauses_compile(struct recorder_clauses *c, struct tracer *t,
			     struct strbuf *messages);
void recorder_clauses_release(struct recorder_clauses *c);

#endif
