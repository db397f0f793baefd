/* SPDX-License-Identifier: MIT */
/*
 * Choosing the CPU of the keeper and of the thread that hits probes. Left alone, the
 * scheduler wakes each of them on an idle CPU, and each such move costs up to 35 us: the
 * CPU has to wake up, and its caches are cold. So, while one thread hits probes:
 *
 *	- the keeper stays on one CPU;
 *	- just before PTRACE_CONT the thread's affinity is narrowed to that CPU, which
 *	  queues the thread there; just after, it is restored. The thread hardly ever
 *	  runs with the narrow mask, and if the keeper dies between two stops,
 *	  nothing is left behind.
 *
 * For a few of every few hundred events neither is pinned, so that the scheduler can
 * move both away from a CPU that other processes keep busy.
 *
 * Several threads that hit probes at the same time keep the keeper busy, and none has to
 * wait for it to wake up; one CPU would only be too little for them. So nothing is
 * pinned then.
 */
#ifndef TRACER_KEEPER_OS_CPU_H
#define TRACER_KEEPER_OS_CPU_H

#include "vm/base/base.h"
#include "vm/base/status.h"

#include <sched.h>

struct cpu {
	bool is_on;		 /* false: one CPU only, or PROBEKEEPER_CPU=0 */
	int pinned;		 /* the keeper's CPU, -1: not pinned */
	cpu_set_t allowed, only; /* the keeper's mask at the start; of pinned */
	uint64_t events;
	int last_tid;	       /* of the event before */
	uint32_t alternations; /* last 32 events, a bit each: from another thread */
};

/* The calling thread is the keeper. */
void cpu_init(struct cpu *c);
/* Resumes a stopped thread that hit a site, without a signal. Result as of pt_cont(). */
int cpu_cont(struct cpu *c, int tid);

#endif
