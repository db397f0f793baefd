/* SPDX-License-Identifier: MIT */
/*
 * Copies of processes, for dump(): the process forks while all of its threads are
 * stopped, and goes on. The copy shares no page that is written to with it, has none of
 * our changes, and never runs.
 *
 *	process   -- clone -->   child     -- clone(CLONE_VM) -->   copy
 *
 * The process must not see a child that it did not make. So its child makes the copy,
 * which shares the child's memory, and is killed; the process itself waits for it, before
 * it goes on. The copy becomes a child of init, which waits for it in the end. Neither
 * sends the process a signal. The copy dies with the keeper.
 */
#ifndef TRACER_KEEPER_COPIES_PROCESS_COPY_H
#define TRACER_KEEPER_COPIES_PROCESS_COPY_H

#include "tracer/keeper/threads/core.h"

/* At one time: each may take the memory that its process changes. */
#define PROCESS_COPIES_MAX 4

/*
 * Copies the process of the thread, which is at a breakpoint and goes on with these
 * registers. Sends KEEPER_EV_COPY, whether it succeeds or not. The thread stays stopped,
 * unless it died.
 */
void process_copy_make(struct keeper *k, struct task *task, const struct regs *regs,
		       uint32_t number);
/* Kills the copy. Any other process is left alone. */
void process_copy_end(struct keeper *k, int pid);
/* Kills all copies. */
void process_copy_release(struct keeper *k);

#endif
