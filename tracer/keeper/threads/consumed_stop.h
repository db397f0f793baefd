/* SPDX-License-Identifier: MIT */
/*
 * A stop is reported by waitpid once. If the request that should have resumed the thread
 * then fails, the thread stays stopped and no report will come: its stop is consumed.
 */
#ifndef TRACER_KEEPER_THREADS_CONSUMED_STOP_H
#define TRACER_KEEPER_THREADS_CONSUMED_STOP_H

#include "tracer/keeper/threads/core.h"

/*
 * Whether the thread is in a stop that has been consumed. *status becomes what waitpid
 * would report for it now; for a trap of ours that was handled already it is that of a
 * PTRACE_EVENT_STOP.
 */
bool consumed_stop_status(const struct keeper *k, const struct task *task, int *status);

#endif
