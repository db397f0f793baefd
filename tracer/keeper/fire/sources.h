/* SPDX-License-Identifier: MIT */
/*
 * Probes that no site fires: which there are, and firing them.
 */
#ifndef TRACER_KEEPER_FIRE_SOURCES_H
#define TRACER_KEEPER_FIRE_SOURCES_H

#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/load.h"
#include "tracer/keeper/space/task.h"

struct keeper;

#define SOURCES_CALLS 1024 /* numbers of system calls are below */

struct sources {
	/* Index of the probe + 1, 0: nobody wants it. */
	uint32_t proc[KEEPER_PROC_COUNT];
	uint32_t enter[SOURCES_CALLS], leave[SOURCES_CALLS];
	bool has_calls; /* threads stop at each system call */
	bool has_exits; /* threads stop when they end */
};

/* KEEPER_REQ_SOURCES: on failure there are none. */
int sources_load(struct keeper *k, struct sent table, struct err *e);
/* What a process that is traced from now on has to be stopped for. */
void sources_watch(const struct sources *s, struct process *p);

/* Something of the proc provider happened to the stopped thread; args are arg0 on. */
void sources_proc(struct keeper *k, struct task *task, enum keeper_proc what,
		  const uint64_t *args, size_t nargs);

/* The thread is at the entry or exit of a system call. */
void sources_call(struct keeper *k, struct task *task);
/* It is in any other stop, with these registers: maybe amid a call. */
void sources_found(struct task *task, const struct user_regs_struct *regs);
/* It has executed. */
void sources_exec(struct keeper *k, struct task *task);
/* It is about to end. */
void sources_exit(struct keeper *k, struct task *task);
/* It has ended without a stop before: status is of waitpid(2). */
void sources_gone(struct keeper *k, struct task *task, int status);
/* As task_cont(), with the probes of a signal that is delivered; 0: none is. */
void sources_deliver(struct keeper *k, struct task *task, int sig);
/*
 * The same in parts, for who steps into the handler himself: the signal is about to be
 * delivered; the thread stands before the first instruction of its handler.
 */
void sources_sent(struct keeper *k, struct task *task, int sig);
void sources_handled(struct keeper *k, struct task *task, int sig);
/* Whether a probe wants to know where handlers are. */
bool sources_want_handler(const struct keeper *k);

#endif
