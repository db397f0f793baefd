/* SPDX-License-Identifier: MIT */
/*
 * Every thread that shares some memory, stopped where it is. Whatever stop a
 * thread came to (a signal, a hit, a new child) is kept and handled when the
 * all-stop ends: meanwhile only its registers may be changed.
 *
 * A thread in uninterruptible sleep counts as stopped: its interrupt is pending, so
 * it stops before its next instruction; where that is /proc tells.
 */
#ifndef TRACER_KEEPER_THREADS_ALL_STOP_H
#define TRACER_KEEPER_THREADS_ALL_STOP_H

#include "tracer/keeper/threads/core.h"

struct all_stop_thread {
	int tid, status;
	bool is_asleep; /* in the kernel: registers cannot be changed */
	uint64_t pc, sp;
};

struct all_stop {
	struct keeper *k;
	struct space *space;
	struct {
		struct all_stop_thread *data;
		size_t len, cap;
	} threads;
};

/*
 * self is stopped already (NULL: none) and stays with the caller; it is among the
 * threads. Otherwise STATUS_BUSY, with all running again.
 */
int all_stop_begin(struct all_stop *s, struct keeper *k, struct task *self,
		   struct space *space);
void all_stop_end(struct all_stop *s);

#endif
