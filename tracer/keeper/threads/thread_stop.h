/* SPDX-License-Identifier: MIT */
/*
 * One thread of a process brought to a PTRACE_EVENT_STOP and kept there while
 * calls are injected; the others run on.
 */
#ifndef TRACER_KEEPER_THREADS_THREAD_STOP_H
#define TRACER_KEEPER_THREADS_THREAD_STOP_H

#include "tracer/keeper/threads/core.h"

struct thread_stop {
	struct task *task;
	int status; /* its stop */
};

/* STATUS_BUSY when no thread could be stopped in time, STATUS_GONE when all died. */
int thread_stop_begin(struct keeper *k, struct process *p, struct thread_stop *q);
/* The thread goes on as its stop demands (or stays held). Returns 0. */
int thread_stop_end(struct keeper *k, struct thread_stop *q);

#endif
