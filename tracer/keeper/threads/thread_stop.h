/* SPDX-License-Identifier: MIT */
/*
 * Stops one thread of a process in a PTRACE_EVENT_STOP, from which system calls can be
 * made in it (space/remote_call.h). The other threads run on.
 */
#ifndef TRACER_KEEPER_THREADS_THREAD_STOP_H
#define TRACER_KEEPER_THREADS_THREAD_STOP_H

#include "tracer/keeper/threads/core.h"

struct thread_stop {
	struct task *task;
	int status; /* its stop */
};

/*
 * Stops of this and other threads may be handled on the way, so the process may have
 * called exec afterwards: compare q->task->process->space. STATUS_BUSY: no thread stopped
 * in time; STATUS_GONE: all died.
 */
int thread_stop_begin(struct keeper *k, struct process *p, struct thread_stop *q);
/* Handles the stop: the thread goes on, or stays held. Returns 0. */
int thread_stop_end(struct keeper *k, struct thread_stop *q);

#endif
