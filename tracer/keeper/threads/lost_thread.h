/* SPDX-License-Identifier: MIT */
/*
 * A thread of an address space with which patience has ended (os/patience.h) is detached
 * where it is. From a breakpoint or an out-of-line slot it goes to the program's code; in
 * a stub or in resident code, which stay mapped, it goes on.
 */
#ifndef TRACER_KEEPER_THREADS_LOST_THREAD_H
#define TRACER_KEEPER_THREADS_LOST_THREAD_H

#include "tracer/keeper/threads/core.h"

/* The thread is in a stop of this status. Frees it, and the process with its last one. */
void lost_thread_detach(struct keeper *k, struct task *task, int status);

#endif
