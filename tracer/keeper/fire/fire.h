/* SPDX-License-Identifier: MIT */
/*
 * Runs the clauses of probes for a stopped thread: one firing. The owner of struct fire
 * sets its first members and calls one of the functions below.
 */
#ifndef TRACER_KEEPER_FIRE_FIRE_H
#define TRACER_KEEPER_FIRE_FIRE_H

#include "tracer/keeper/space/keeper_program.h"
#include "tracer/keeper/space/task.h"

/* The registers of a thread of which only the pc may be known yet. */
struct fire_later {
	struct regs *regs;
	bool is_due;  /* the others are still to be fetched */
	bool is_used; /* out: they have been asked for */
};

struct fire {
	struct keeper_program *program;
	struct task *task;
	const struct bpt_site *site; /* NULL: not at a site */
	const struct regs *regs;     /* with the pc at the site: for fire_regs() */
	struct fire_later *later;    /* of the same regs; NULL: they are all there */
	const uint64_t *args;	     /* not at a site: arg0, arg1, ... */
	size_t nargs;
	uint32_t error; /* errno of the system call that has failed */
	/* Hits of the site up to this number have been met already; 0: none. */
	uint32_t after;
	/* Out: the first hit of a probe of fpid; NULL: there was none. */
	const struct bpt_hit *fpid;
	uint32_t nfpid; /* out: firings of such probes */
	/* The same of pid: its last hit that has fired, and firings. */
	const struct bpt_hit *pid;
	uint32_t npid;
	/* Out, where a thread is held: as in struct keeper_ev_hold. */
	struct addr_range mapped;
	bool maps_often;
	struct addr_range writable; /* out: it can be written to now; hi 0: nothing */
	uint32_t leave;		    /* out: enum keeper_leave, if its site has one */
	uint32_t
		copy; /* out: the number of a copy to be made of the process; 0: none */
	/* From here on private. */
	const struct bpt_hit *hit; /* that fires now */
	struct bpt_hit followed;   /* this, at the end of a tail call */
	/*
	 * Where a stack of this firing was truncated, and after how many frames; 0:
	 * none.
	 */
	uint64_t truncated_pc;
	uint32_t truncated_frames;
	bool is_truncated; /* diag:::missed-ustack fires now */
};

/* All registers of the thread; 0 where they cannot be fetched. */
const struct regs *fire_regs(const struct fire *f);
/* Fires the probes of the site in order. True: a KEEPER_SITE_HOLD holds the thread. */
bool fire_site(struct fire *f);
/* vm_env.wake of the keeper. */
void fire_wake(void *ctx, _Atomic uint32_t *word);
/* Whether a clause of a probe of the site records something. */
bool fire_records(const struct fire *f);
/* Fires one probe that has no site, by its index in the table. */
void fire_probe(struct fire *f, uint32_t probe);

/* The thread's memory, for step_emulate() and step_target(); task must outlive it. */
struct step_memory fire_memory(const struct task *task);

#endif
