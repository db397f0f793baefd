/* SPDX-License-Identifier: MIT */
/*
 * Stops every thread of a space where it is. Any other stop that a thread comes to
 * first (a signal, a hit, a new child) is kept, and handled after the all-stop. During
 * the all-stop only registers may be changed.
 *
 * A thread in uninterruptible sleep counts as stopped, unless it makes a child. Its
 * interrupt is pending, so it stops before its next instruction; /proc shows where that
 * is. Fork children that have been made by now have the program's own bytes.
 */
#ifndef TRACER_KEEPER_THREADS_ALL_STOP_H
#define TRACER_KEEPER_THREADS_ALL_STOP_H

#include "tracer/keeper/threads/core.h"

struct all_stop_thread {
	int tid;	/* 0: it has gone, or shares the memory no more */
	int status;	/* of its stop; -1: it was stopped before */
	bool is_asleep; /* in the kernel: registers cannot be changed */
	taddr pc, sp;
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
 * self (or NULL) is a thread of the space that the caller has stopped and will resume; it
 * is listed too. 0: all are stopped until all_stop_end(). STATUS_BUSY: some thread did
 * not stop in time, or its memory is going; all run again, and there is nothing to end.
 */
int all_stop_begin(struct all_stop *s, struct keeper *k, struct task *self,
		   struct space *space);
/* The threads but self go on, after their stops are handled by the loop. */
void all_stop_end(struct all_stop *s);

#endif
