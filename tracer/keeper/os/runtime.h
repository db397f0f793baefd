/* SPDX-License-Identifier: MIT */
/*
 * How long a thread has run on a processor.
 */
#ifndef TRACER_KEEPER_OS_RUNTIME_H
#define TRACER_KEEPER_OS_RUNTIME_H

#include "vm/base/base.h"

/*
 * A counter of the thread's run time from now on (perf_event_open(2), task-clock), exact
 * to the moment at which it is read. A descriptor, the caller's; -1: it is not permitted.
 */
int runtime_counter(int tid);

/*
 * The run time in ns: of the counter, or, if that is -1, since the thread's birth by
 * /proc/TID/schedstat, which a running thread may update only at timer ticks. False: not
 * known.
 */
bool runtime_read(int counter, int tid, uint64_t *ns);

#endif
