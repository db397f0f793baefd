/* SPDX-License-Identifier: MIT */
/*
 * A thread at a breakpoint: the clauses run, then the instruction, and the thread goes
 * on or is held for the front.
 */
#ifndef TRACER_KEEPER_THREADS_HIT_H
#define TRACER_KEEPER_THREADS_HIT_H

#include "tracer/keeper/threads/core.h"

/*
 * The thread is in the stop of our byte's trap at the site; regs are its registers, with
 * pc at the site, or only that (has_pc_only). Afterwards it runs, or is TASK_HELD.
 */
void hit_handle(struct keeper *k, struct task *task, const struct bpt_site *site,
		struct regs *regs, bool has_pc_only);
/*
 * A signal stopped the thread in the site's copy before that ran. Runs the copy, then
 * delivers the signal after it. If the instruction itself faults, the thread is at the
 * site again and the signal is delivered there. Afterwards the thread runs.
 */
void hit_finish_copy(struct keeper *k, struct task *task, const struct bpt_site *site,
		     int sig);
/*
 * KEEPER_REQ_RESUME: the held thread of the last event goes on. If another thread of
 * the process is held, the front gets its event.
 */
void hit_resume_held(struct keeper *k, struct process *p);

/*
 * Before a signal is delivered to a thread in code that is not ours, with these
 * registers. True: it came from a breakpoint or a jump of ours that was moved with its
 * code. The program's own bytes are there now, and the thread is at the instruction; it
 * goes on, or is held until probes are set there (KEEPER_EV_HOLD).
 */
bool hit_leave_moved(struct keeper *k, struct task *task, const struct regs *regs,
		     int sig);

#endif
