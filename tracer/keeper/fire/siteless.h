/* SPDX-License-Identifier: MIT */
/*
 * Probes that no site fires: which there are, and firing them.
 */
#ifndef TRACER_KEEPER_FIRE_SITELESS_H
#define TRACER_KEEPER_FIRE_SITELESS_H

#include "tracer/keeper/fire/sampler.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/os/wait_queue.h"
#include "tracer/keeper/space/program.h"
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
	struct program *program;
	struct sampler *sampler;
	struct tasks *tasks;
	struct wait_queue *waits;
	struct siteless_probes probes;
};

/* KEEPER_REQ_SITELESS: on failure there are none. */
int siteless_load(struct siteless *s, struct sent table, struct err *e);
/* What a process that is traced from now on has to be stopped for. */
void siteless_watch(const struct siteless *s, struct process *p);

/* Something of the proc provider happened to the stopped thread; args are arg0 on. */
void siteless_proc(struct siteless *s, struct task *task, enum keeper_proc what,
		   const uint64_t *args, size_t nargs);

/* The thread is at the entry or exit of a system call. */
void siteless_call(struct siteless *s, struct task *task);
/* It is in any other stop, with these registers: maybe amid a call. */
void siteless_found(struct task *task, const struct regs *regs);
/* It has executed. */
void siteless_exec(struct siteless *s, struct task *task);
/* It is about to end. */
void siteless_exit(struct siteless *s, struct task *task);
/* It has ended without a stop before: status is of waitpid(2). */
void siteless_gone(struct siteless *s, struct task *task, int status);
/* As task_cont(), with the probes of a signal that is delivered; 0: none is. */
void siteless_deliver(struct siteless *s, struct task *task, int sig);
/*
 * The same in parts, for who steps into the handler himself: the signal is about to be
 * delivered; the thread stands before the first instruction of its handler.
 */
void siteless_sent(struct siteless *s, struct task *task, int sig);
void siteless_handled(struct siteless *s, struct task *task, int sig);
/* Whether a probe wants to know where handlers are. */
bool siteless_want_handler(const struct siteless *s);

#endif
