/* SPDX-License-Identifier: MIT */
/*
 * The keeper's whole state. loop_run() owns it. Only the main thread uses it, which is
 * the tracer of all targets.
 */
#ifndef TRACER_KEEPER_THREADS_CORE_H
#define TRACER_KEEPER_THREADS_CORE_H

#include "tracer/keeper/cpu/cpu.h"
#include "tracer/keeper/os/credentials.h"
#include "tracer/keeper/fire/fire.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/fire/pid_rate.h"
#include "tracer/keeper/fire/room.h"
#include "tracer/keeper/fire/sampler.h"
#include "tracer/keeper/fire/siteless.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/wait_queue.h"
#include "tracer/keeper/space/task.h"

/* The credentials of the processes that share D variables by detours (trust_domain.h). */
struct trust_domain {
	struct credentials of; /* empty: no process has tried to enter */
	bool is_begun;	       /* there was a member */
	uint64_t looked_ns;    /* when all members were looked at last */
	bool is_due;	       /* a thread may just have changed its credentials */
};

struct keeper {
	int link; /* socket to the front */
	struct tasks tasks;
	struct keeper_program program;
	struct wait_queue waits;
	struct pt_failures failures; /* for stranded_recover() */
	struct cpu cpu;
	struct sampler sampler;
	struct siteless siteless;
	struct room room;
	struct trust_domain domain;
	struct {
		uint64_t hits, ns;
		struct {
			uint64_t hits;
			uint32_t probe, arg0; /* as in struct bpt_hit */
		} hottest;		      /* the site with the most of them */
	} by_breakpoint; /* of fpid probes: what detours could not serve */
	struct pid_rate pid_rate;
	/* process_copy_make() of copies/process_copy.h, and what it has made. */
	void (*copy_process)(struct keeper *k, struct task *task,
			     const struct regs *regs, uint32_t number);
	struct {
		struct process_copy {
			int pid, fd; /* the second: a pidfd, owned */
		} * data;
		size_t len, cap;
	} copies;
	uint32_t nchildren;    /* that nobody follows */
	uint32_t nstops;       /* counts stops, for fairness (loop.c) */
	uint64_t early_ns;     /* of the last look for orphans (loop.c) */
	struct deadline hurry; /* with waits.hurry: once all are to be detached */
	bool is_over;	       /* the front has gone: restore and exit */
	bool is_releasing;     /* of all processes: no child is followed any more */
};

#endif
