/* SPDX-License-Identifier: MIT */
/*
 * Where a resumed thread wakes up. Left alone, the kernel moves a woken
 * thread to an idle CPU, and each such flight costs 35 us (an idle CPU has to
 * be woken, caches are cold). So the thread's affinity is narrowed to the
 * keeper's CPU just before PTRACE_CONT, which queues it there, and restored
 * just after; it never runs with the narrow mask for long, and nothing is left
 * behind if the keeper dies between two stops.
 *
 * It pays only while one thread at a time hits probes: threads that hit them
 * at once keep the keeper busy, do not wait for a wake-up, and would be
 * crowded on one CPU for nothing. And where every CPU has work there is none to flee to.
 */
#ifndef TRACER_KEEPER_CPU_H
#define TRACER_KEEPER_CPU_H

#include "vm/base/base.h"
#include "vm/base/status.h"

struct cpu {
	/* Policy. */
	bool is_on; /* false: one CPU, or PROBEKEEPER_CPU=0 (for measurements) */
	bool is_crowded;	/* no CPU is idle, as of the last sample */
	int ncpus;		/* that the keeper may use */
	int loadavg;		/* descriptor of /proc/loadavg */
	uint64_t next_sample;	/* event number */
	int last_tid;		/* of the event before */
	uint32_t alternations;	/* of the last 32 events, one bit each: came from another thread */
	/* Counters. */
	uint64_t events, narrowed, samples;
};

void cpu_init(struct cpu *c);
void cpu_release(struct cpu *c);
/* Resumes the thread, which hit a site, with signal 0. As pt_cont(). */
int cpu_cont(struct cpu *c, int tid);

#endif
