/* SPDX-License-Identifier: MIT */
/*
 * Recovery of stranded threads. If the request that should resume a thread fails although
 * the thread lives, it stays stopped: its stop is consumed (consumed_stop.h). The process
 * cannot be traced any more: it is restored and detached, and KEEPER_EV_LOST says why.
 */
#ifndef TRACER_KEEPER_THREADS_STRANDED_H
#define TRACER_KEEPER_THREADS_STRANDED_H

#include "tracer/keeper/threads/core.h"

/* Looks at the threads whose requests failed (k->failures). Called after each stop. */
void stranded_recover(struct keeper *k);

#endif
