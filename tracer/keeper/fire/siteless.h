/* SPDX-License-Identifier: MIT */
/*
 * Probes that no site fires: which there are, and firing them.
 */
#ifndef TRACER_KEEPER_FIRE_SITELESS_H
#define TRACER_KEEPER_FIRE_SITELESS_H

#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/program.h"
#include "tracer/keeper/space/task.h"

struct keeper;

#define SITELESS_CALLS 1024 /* numbers of system calls are below */

struct siteless {
	/* Index of the probe + 1, 0: nobody wants it. */
	uint32_t proc[KEEPER_PROC_COUNT];
	uint32_t enter[SITELESS_CALLS], leave[SITELESS_CALLS];
	bool has_calls; /* threads stop at each system call */
	bool has_exits; /* threads stop when they end */
};

/* KEEPER_REQ_SITELESS: on failure there are none. */
int siteless_load(struct keeper *k, struct sent table, struct err *e);
/* What a process that is traced from now on has to be stopped for. */
void siteless_watch(const struct siteless *s, struct process *p);

/* Something of the proc provider happened to the stopped thread; args are arg0 on. */
void siteless_proc(struct keeper *k, struct task *task, enum keeper_proc what,
		   const uint64_t *args, size_t nargs);

/* The thread is at the entry or exit of a system call. */
void siteless_call(struct keeper *k, struct task *task);
/* It is in any other stop, with these registers: maybe amid a call. */
void siteless_found(struct task *task, const struct user_regs_struct *regs);
/* It has executed. */
void siteless_exec(struct keeper *k, struct task *task);
/* It is about to end. */
void siteless_exit(struct keeper *k, struct task *task);
/* It has ended without a stop before: status is of waitpid(2). */
void siteless_gone(struct keeper *k, struct task *task, int status);
/* As task_cont(), with the probes of a signal that is delivered; 0: none is. */
void siteless_deliver(struct keeper *k, struct task *task, int sig);
/*
 * The same in parts, for who steps into the handler himself: the signal is about to be
 * delivered; the thread stands before the first instruction of its handler.
 */
void siteless_sent(struct keeper *k, struct task *task, int sig);
void siteless_handled(struct keeper *k, struct task *task, int sig);
/* Whether a probe wants to know where handlers are. */
bool siteless_want_handler(const struct keeper *k);

#endif
