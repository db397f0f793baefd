/* SPDX-License-Identifier: MIT */
/*
 * Which way of sharing a CPU is the fastest now. No rule can tell: it depends on which
 * CPUs are idle, how long an idle one takes to wake, how many threads hit probes and what
 * they do between two hits. So the ways are tried, and the time from one event to the
 * next decides. Pure: the caller has the clock, and does what a way says.
 */
#ifndef TRACER_KEEPER_CPU_CPU_WAY_H
#define TRACER_KEEPER_CPU_CPU_WAY_H

#include "vm/base/base.h"

enum cpu_way {
	CPU_WAY_SHARE, /* the keeper stays on a CPU, and wakes threads on that one */
	CPU_WAY_STAY,  /* the keeper stays on a CPU; the scheduler places the threads */
	CPU_WAY_ROAM,  /* the scheduler places all */
	CPU_WAYS,
};

/* Begins as a zeroed struct: with CPU_WAY_SHARE. */
struct cpu_ways {
	enum cpu_way best, tried; /* the same, or a trial is under way */
	uint64_t last_ns;	  /* of the event before */
	uint64_t since_ns;	  /* the end of the last trial */
	uint64_t sum_ns;	  /* from event to event, in this window so far */
	uint64_t pace_ns[2];	  /* the same of the best way's last windows */
	uint64_t usual_ns;	  /* of its first ones after the last trial */
	uint64_t before_ns;	  /* what a window took the way before; 0: no matter */
	enum cpu_way before;
	uint32_t gaps;	  /* in this window so far */
	uint32_t windows; /* of the best way since the last trial */
	uint32_t stay;	  /* that pass before the next one; 0: none yet */
	bool is_changed;  /* in the trial under way there is a new best one */
};

/* The way for the event at now_ns. */
enum cpu_way cpu_ways_next(struct cpu_ways *w, uint64_t now_ns);

#endif
