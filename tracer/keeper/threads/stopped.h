/* SPDX-License-Identifier: MIT */
/*
 * A stopped thread: where it is in memory of ours, and how it gets out of there.
 *
 *	stopped_fetch()		what the classification of the stop needs (os/stop.h)
 *	stopped_settle()	to an original address, with everything it was due
 *
 * All functions need the thread in a stop that waitpid has reported. They return 0 or a
 * negative status; STATUS_GONE: the thread died, and its exit status is still to come.
 */
#ifndef TRACER_KEEPER_THREADS_STOPPED_H
#define TRACER_KEEPER_THREADS_STOPPED_H

#include "tracer/keeper/os/stop.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/threads/core.h"

/* What is known of one stop. */
struct stopped {
	struct stop_facts in;  /* status and life are the caller's */
	struct bpt_site *site; /* whose trap or copy pc is in, or NULL */
	struct detour *detour; /* whose stub pc is in, or NULL */
	struct regs regs;      /* valid once STOP_NEEDS_REGS was asked for */
	bool has_pc_only;      /* of regs: stopped_fetch_hit() */
	bool is_in_call; /* the same: the thread was in a system call, or at its end */
};

/*
 * If the thread's system call was cut short by a stop of ours, and this is one that
 * matters (os/cut_call.h): changes its registers, and regs, which are those, so that the
 * call is made again or ends. False: they stay. Not for a stop at the entry of a call,
 * which has no result yet. stopped_fetch() does it.
 */
bool stopped_cut_call(struct task *task, int status, struct regs *regs);
/* Fetches what stop_classify() needs for this status. */
int stopped_fetch(struct task *task, struct stopped *s);
/*
 * The same at less cost, if the stop is a hit and the thread's last one needed no
 * registers: of s->regs only the pc is valid. False: nothing is known.
 */
bool stopped_fetch_hit(struct task *task, struct stopped *s);

/*
 * Moves the pc as the verdict says. PC_FINISH_SLOT, PC_EXIT_STUB, PC_DEMOTE: nothing is
 * done.
 */
int stopped_move_pc(struct task *task, struct stopped *s, enum stop_pc pc);
/*
 * The thread's copy of the site's instruction has run: it goes to the next
 * instruction, with the registers as if it had run there. regs are the thread's.
 */
int stopped_pc_fixup(struct task *task, const struct bpt_site *site, struct regs *regs);
/* The site has fired, and the thread will meet it once more for the same instruction. */
void stopped_note_fired(struct task *task, const struct stopped *s);

/*
 * pc is PC_EXIT_STUB or PC_DEMOTE: the thread leaves the stub or the resident code, with
 * the signal that it stopped for (or 0) still to be delivered.
 */
int stopped_leave(struct keeper *k, struct task *task, enum stop_pc pc, int sig);
/*
 * Before sig is delivered: if it ends the process with a core dump, the text is restored
 * first, for the dump and the tools that read it.
 */
void stopped_restore_before_core(struct task *task, int sig);
/* Whether the default action of the signal is a core dump. */
bool stopped_dumps_core(int sig);
/* Whether si_addr of the signal is the address of the instruction that raised it. */
bool stopped_tells_pc(int sig);

/*
 * Puts a thread in any stop, of this status, at an original address. *sig is the signal
 * that it stopped for, still to be delivered, or 0. STATUS_BUSY: a trap of ours is in the
 * thread's signal queue, or it ran to get out: continue it and settle its next stop.
 */
int stopped_settle(struct keeper *k, struct task *task, int status, int *sig);

#endif
