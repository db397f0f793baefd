/* SPDX-License-Identifier: MIT */
/*
 * A thread whose ptrace request failed though it lives stands still, and would for
 * ever: nobody waits for a stop that has been reported. Such a process cannot
 * be traced any more: it is released, with all that was changed put back, and the
 * front is told why.
 */
#ifndef TRACER_KEEPER_THREADS_STRANDED_H
#define TRACER_KEEPER_THREADS_STRANDED_H

#include "tracer/keeper/threads/core.h"

/* Looks after the threads of the requests that failed since the last time. */
void stranded_recover(struct keeper *k);

#endif
