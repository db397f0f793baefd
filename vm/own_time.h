/* SPDX-License-Identifier: MIT */
/*
 * A thread's own time: a clock that stands still while its probes fire, so that the
 * difference of two times has nothing of the probes between them. It begins with the
 * clock at the first firing. From then on it goes on with what passes between the end of
 * one firing and the beginning of the next, less the way out of the one and into the
 * other; it never goes back. The built-in variable timestamp is this time where
 * own_time_begin() was called, and stays the same for all of a firing.
 *
 * What is kept of a thread is in its first slot of the state block if it has one, where
 * the thread itself may write anything: the time of that thread is then any number.
 */
#ifndef VM_OWN_TIME_H
#define VM_OWN_TIME_H

#include "vm/state.h"

/* All zero: of a thread that has not fired. */
struct own_time {
	_Atomic uint64_t now;  /* in the last firing */
	_Atomic uint64_t left; /* the clock when it ended */
};

/* The ways from the program to the clauses and back, in ns. */
struct own_time_ways {
	uint64_t jump, stop;
};

/* From now on threads have a time of their own. home: the block of the front. */
void own_time_begin(struct state *home, struct own_time_ways ways);
bool own_time_is_on(const struct state *s);
/* What own_time_begin() was told. */
struct own_time_ways own_time_ways(const struct state *s);
/* That of the thread whose first slot this is. */
struct own_time *own_time_of(struct state *s, uint32_t slot);

/*
 * A firing begins at this time of the clock, or ends; way: of struct own_time_ways. Its
 * result: the thread's own time, never 0 but for what a target has written.
 */
uint64_t own_time_enter(struct own_time *t, uint64_t clock, uint64_t way);
void own_time_leave(struct own_time *t, uint64_t clock, uint64_t way);
/*
 * The same of a firing that began at that time of the clock, told by another thread than
 * the one that fired: nothing changes if that has begun another firing.
 */
void own_time_leave_late(struct own_time *t, uint64_t begin, uint64_t clock,
			 uint64_t way);

#endif
