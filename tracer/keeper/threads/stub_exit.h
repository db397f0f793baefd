/* SPDX-License-Identifier: MIT */
/*
 * Taking a thread out of what is ours in its process: stubs and resident code.
 *
 *	head of a stub    back to the patched bytes: it will fire once, later
 *	tail of a stub    stepped on, to where it comes back into the program
 *	resident code     marked (gate.pending), runs to the trap on its way out,
 *			  then as in the tail
 *	... too late      stepped on, to the tail
 *
 * All signals stay blocked meanwhile, and other threads run on.
 */
#ifndef TRACER_KEEPER_THREADS_STUB_EXIT_H
#define TRACER_KEEPER_THREADS_STUB_EXIT_H

#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/space/detours.h"

/*
 * The thread is in any stop. 0: it stands in the program's own code, in a stop of a
 * signal (SIGTRAP) if it had to run. STATUS_FAULT: a moved instruction faults: it
 * stands on that in the stub. STATUS_BUSY: it did not come out in time.
 */
int stub_exit_run(struct keeper *k, struct task *task);
/* A load of resident code faulted: it goes on with what it has. */
int stub_exit_guard(const struct task *task);
/*
 * A moved instruction, or resident code itself, cannot go on: the site
 * becomes a breakpoint and the thread stands at the instruction's own address.
 */
int stub_exit_demote(struct keeper *k, struct task *task);
/*
 * Where the thread in a stub would be without it: regs is changed. True when it stands
 * at a site of the detour that has fired already.
 */
bool stub_exit_translate(const struct task *task, const struct detour *detour,
			 struct regs *regs);

#endif
