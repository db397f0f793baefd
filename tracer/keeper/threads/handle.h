/* SPDX-License-Identifier: MIT */
/*
 * What is done about each stop. handle_* functions leave the thread running,
 * listening, held, or gone; a thread that dies on the way is left for its exit
 * status to tell.
 */
#ifndef TRACER_KEEPER_THREADS_HANDLE_H
#define TRACER_KEEPER_THREADS_HANDLE_H

#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/os/ptrace.h"

/* Any status from waitpid. */
void handle_stop(struct keeper *k, int tid, int status);

/*
 * Puts a thread in any stop at an original address; the next *sig is the
 * signal that it stopped for, still to be delivered. STATUS_BUSY: our trap waits in its
 * queue: continue it and settle its next stop. STATUS_GONE: it died.
 */
int handle_settle(struct keeper *k, struct task *task, int status, int *sig);

/*
 * The thread's copy of the site's instruction has run: it goes to the next
 * instruction, with the registers as if it had run there. regs are the thread's.
 */
int handle_pc_fixup(struct task *task, const struct bpt_site *site, struct regs *regs);

/* hit.c: the thread stands at the site (its pc is set to it) with our byte's trap. */
void handle_hit(struct keeper *k, struct task *task, const struct bpt_site *site,
		struct regs *regs);
/*
 * A signal stopped the thread in a copy that has not run: runs it, then
 * delivers the signal behind it. STATUS_FAULT: the instruction itself
 * faults; the thread is at the site again and the signal delivered there.
 */
void handle_leave(struct keeper *k, struct task *task, const struct bpt_site *site,
		  int sig);
/* RESUME of the front: the held thread goes on, the next one held is told of. */
void handle_resume(struct keeper *k, struct process *p);

/* children.c: the thread's clone, fork or vfork event; the thread is not resumed. */
void handle_child(struct keeper *k, struct task *parent);
/*
 * The EARLY tasks whose parent died before its event told of them: cleaned as
 * fork children. Their pages tell which process they were copied from.
 */
void handle_orphans(struct keeper *k);
/* The first stop of a task whose process is known. */
void handle_first(struct keeper *k, struct task *task, int status);
void handle_exec(struct keeper *k, struct task *task);
/*
 * A stop at a system call: true when the thread was let go, for it is about to execute a
 * program that gives it privileges. Else it is not resumed.
 */
bool handle_call(struct keeper *k, struct task *task);
/* Exit or death of a thread. */
void handle_gone(struct keeper *k, struct task *task, int status);

#endif
