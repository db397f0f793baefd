/* SPDX-License-Identifier: MIT */
/*
 * On which CPU keeper and thread take turns. Left alone, the kernel wakes
 * either of them on an idle CPU, and each such flight costs up to 35 us (the CPU
 * has to be woken, its caches are cold). So, while one thread hits probes:
 *
 *	- the keeper stays on one CPU;
 *	- the thread's affinity is narrowed to that CPU just before
 *	  PTRACE_CONT, which queues it there, and restored just after. It never
 *	  runs with the narrow mask for long, and nothing is left behind if the
 *	  keeper dies between two stops.
 *
 * For a few events out of every few hundred both roam, so that the scheduler
 * can take the pair away from a CPU that others keep busy.
 *
 * Threads that hit probes at once keep the keeper busy: none waits for a wake-up,
 * and on one CPU they would be crowded for nothing. Then nobody is pinned.
 */
#ifndef TRACER_KEEPER_OS_CPU_H
#define TRACER_KEEPER_OS_CPU_H

#include "vm/base/base.h"
#include "vm/base/status.h"

#include <sched.h>

struct cpu {
	bool is_on;		 /* false: one CPU, or switched off for measurements */
	int pinned;		 /* the keeper's CPU, -1: it roams */
	cpu_set_t allowed, only; /* the keeper's mask at the start; pinned alone */
	uint64_t events;
	int last_tid;	       /* of the event before */
	uint32_t alternations; /* last 32 events, a bit each: from another thread */
};

void cpu_init(struct cpu *c);
/* Resumes the thread, which hit a site, with signal 0. As pt_cont(). */
int cpu_cont(struct cpu *c, int tid);

#endif
