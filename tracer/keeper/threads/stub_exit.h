/* SPDX-License-Identifier: MIT */
/*
 * Takes a stopped thread out of stubs and resident code, so that a signal can be
 * delivered, or the thread detached.
 *
 *	stub's prologue   goes back to the patched bytes: it fires once, later
 *	stub's epilogue   is single-stepped to where it comes back into the program
 *	resident code     is marked (gate.pending), and runs to the trap at its end;
 *			  then as in the epilogue
 *	... past the mark is single-stepped to the epilogue
 *	light routine     is single-stepped as well, or into the way of resident code
 *
 * Signals stay blocked while the thread runs. Other threads run on.
 */
#ifndef TRACER_KEEPER_THREADS_STUB_EXIT_H
#define TRACER_KEEPER_THREADS_STUB_EXIT_H

#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/space/detours.h"

/*
 * The thread is in any stop. 0: its pc is in the program's own code; if it had to run it
 * is in the stop of a SIGTRAP. STATUS_FAULT: a moved instruction faults, and the pc is at
 * that in the stub. STATUS_BUSY: it did not come out in time. STATUS_GONE: it died, or
 * is lost (wait_queue_wait_step()): it must not be touched.
 */
int stub_exit_run(struct keeper *k, struct task *task);
/*
 * The thread came to resident code's trap by itself: it asks for chunks (vm_env.grow),
 * and is to stop once more where it comes out. Its signal mask is the program's again.
 */
void stub_exit_asked(struct task *task);
/*
 * The thread is in the stop of a fault of a guarded load of resident code, or of the body
 * of a light routine: moves the pc to where the code handles that.
 */
int stub_exit_guard(const struct task *task);
/*
 * A moved instruction, or resident code itself, cannot go on. The detour is replaced by
 * breakpoints in an all-stop, and the thread's pc is moved to the instruction's own
 * address. STATUS_FAULT: it is not known which detour it is; STATUS_BUSY: no all-stop.
 */
int stub_exit_demote(struct keeper *k, struct task *task);
/*
 * Changes regs, those of a thread in the detour's stub, to what they would be without
 * it. True when the pc is then at a site of the detour that has fired already.
 */
bool stub_exit_translate(const struct task *task, const struct detour *detour,
			 struct regs *regs);

#endif
