/* SPDX-License-Identifier: MIT */
/*
 * The CPU of the keeper and of the threads that hit probes. Left alone, the scheduler
 * wakes each of them on an idle CPU, and each such move costs up to 35 us: the CPU has to
 * wake up, and its caches are cold. Where that is so (cpu_way.h) they share one:
 *
 *	- the keeper stays on one CPU;
 *	- just before PTRACE_CONT the thread's affinity is narrowed to that CPU, which
 *	  queues the thread there; just after, it is restored. If the scheduler lets
 *	  the thread run in between, in place of the keeper, it has the narrow mask
 *	  until it stops or sleeps: it can see that, what it sets itself must stay
 *	  (cpu_widen()), and a child that it makes inherits it (cpu_note_child()).
 *	  If the keeper is killed between two stops, nothing is left behind.
 *
 * Where the other CPUs are busy the thread stays without that, and the two system calls
 * are saved; where threads have much to do between two hits, they keep their own CPUs.
 * Now and then all is left to the scheduler for some events, so that it can move the
 * keeper to a CPU with less to do.
 */
#ifndef TRACER_KEEPER_CPU_CPU_H
#define TRACER_KEEPER_CPU_CPU_H

#include "tracer/keeper/cpu/cpu_way.h"
#include "vm/base/base.h"
#include "vm/base/status.h"

#include <sched.h>

struct cpu {
	bool is_on;		 /* false: one CPU only, or PROBEKEEPER_CPU=0 */
	bool has_narrowed;	 /* some thread's mask, for a moment */
	int pinned;		 /* the keeper's CPU, -1: not pinned */
	cpu_set_t allowed, only; /* the keeper's mask at the start; of pinned */
	struct cpu_ways ways;
};

/* The calling thread is the keeper. */
void cpu_init(struct cpu *c);
/*
 * Resumes a stopped thread that hit a site at now_ns, without a signal. Result as of
 * pt_cont().
 */
int cpu_cont(struct cpu *c, int tid, uint64_t now_ns);
/*
 * The keeper may run on all of its CPUs again, until cpu_cont() is called. Before work
 * that takes long: the front, and threads that help the keeper, run at the same time.
 */
void cpu_unpin(struct cpu *c);
/*
 * The thread, whose mask was narrowed to the keeper's CPU, gets this one again, unless it
 * has run meanwhile and set another one.
 */
void cpu_widen(const struct cpu *c, int tid, const cpu_set_t *mask);
/*
 * The parent, stopped since, has made the child, which has not run: if the parent's mask
 * was narrow then, the child gets what the parent has now.
 */
void cpu_note_child(const struct cpu *c, int parent, int child);

#endif
