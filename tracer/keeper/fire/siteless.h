/* SPDX-License-Identifier: MIT */
/*
 * Probes without a site: those of proc and syscall. Each function below fires the
 * probes of one event for a stopped thread, which it does not resume unless it says so.
 */
#ifndef TRACER_KEEPER_FIRE_SITELESS_H
#define TRACER_KEEPER_FIRE_SITELESS_H

#include "tracer/keeper/fire/sampler.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/os/wait_queue.h"
#include "tracer/keeper/space/keeper_program.h"
#include "tracer/keeper/space/task.h"

#define SITELESS_CALLS 1024 /* numbers of system calls are below */

/* The probes of KEEPER_REQ_SITELESS but those of profile, which the sampler has. */
struct siteless_probes {
	/* Index of the probe + 1; 0: there is none. */
	uint32_t proc[KEEPER_PROC_COUNT];
	uint32_t enter[SITELESS_CALLS], leave[SITELESS_CALLS];
	bool has_calls; /* threads stop at each system call */
	bool has_exits; /* threads stop when they end */
};

struct siteless {
	/* Set by the owner, which keeps them as long as this. */
	struct keeper_program *program;
	struct sampler *sampler;
	struct tasks *tasks;
	struct wait_queue *waits;
	struct siteless_probes probes;
};

/* KEEPER_REQ_SITELESS: on failure there are none. */
int siteless_load(struct siteless *s, struct link_memory table, struct err *e);
/*
 * Sets has_calls and has_exits of the process as the probes need. Its running threads are
 * interrupted, so that their next resumption follows it.
 */
void siteless_watch(const struct siteless *s, struct process *p);

/* An event of the proc provider; args are arg0, arg1, ... */
void siteless_proc(struct siteless *s, struct task *task, enum keeper_proc what,
		   const uint64_t *args, size_t nargs);

/* What the registers of a thread at the entry or exit of a system call say. */
struct syscalls_stop siteless_stop(const struct regs *regs);
/*
 * The thread, of a process with has_calls, is at the entry of a system call; at the exit,
 * where stop may have been changed: the registers are those that the program will see.
 */
void siteless_enter(struct siteless *s, struct task *task, const struct regs *regs);
void siteless_leave(struct siteless *s, struct task *task, const struct regs *regs,
		    const struct syscalls_stop *stop);
/* An event is lost: counted as a drop, unless the thread is dying. */
void siteless_miss(const struct siteless *s, const struct task *task);
/* It is in any other stop, with these registers, maybe inside a call. */
void siteless_found(struct task *task, const struct regs *regs);
/* A process has begun; its thread is in the call that made it, and is about to return. */
void siteless_born(struct siteless *s, struct task *task);
/* Sets the options that a stopped thread needs for the probes of its end. */
void siteless_watch_end(struct task *task);
/* It has called exec. */
void siteless_exec(struct siteless *s, struct task *task);
/*
 * The front lets it go on after it was held. If an exec has held it, and the probes came
 * only then (evaltime=exec), that exec and the return of its system call are events now.
 */
void siteless_resume(struct siteless *s, struct task *task);
/* It is about to end. */
void siteless_exit(struct siteless *s, struct task *task);
/* It has ended without a stop before: status is of waitpid(2). */
void siteless_gone(struct siteless *s, struct task *task, int status);
/* Resumes it as task_cont(); if sig is not 0, the probes of its delivery fire. */
void siteless_deliver(struct siteless *s, struct task *task, int sig);
/*
 * The two parts of that, for a caller that steps into the handler: the signal is about to
 * be delivered; the pc is at the first instruction of its handler.
 */
void siteless_sent(struct siteless *s, struct task *task, int sig);
void siteless_handled(struct siteless *s, struct task *task, int sig);
/* Whether a probe needs siteless_handled(). */
bool siteless_want_handler(const struct siteless *s);

#endif
