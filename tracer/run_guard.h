/* SPDX-License-Identifier: MIT */
/*
 * The last way out of a run: where dtrace itself sleeps in the kernel and no signal wakes
 * it, as in a file system that does not answer, a signal that ends tracing ends dtrace.
 * The keeper then gives the targets back.
 */
#ifndef TRACER_RUN_GUARD_H
#define TRACER_RUN_GUARD_H

#include "tracer/base/core.h"

#include <signal.h>

/*
 * The calling thread is watched from now on: a signal of the set that it cannot take,
 * because it sleeps uninterruptibly in one call, ends dtrace with a message and status 1.
 * That is after GUARD_PREPARING_MS, or GUARD_MS once run_guard_note_results() was called:
 * a busy disk must not cost what was collected.
 */
#define GUARD_PREPARING_MS 200
#define GUARD_MS	   2000
void run_guard_start(const struct tracer *t, const sigset_t *signals);
void run_guard_note_results(void);

#endif
