/* SPDX-License-Identifier: MIT */
/*
 * Runs the clauses of the probes at a site for the thread that hit it, with
 * the thread stopped and its registers at hand.
 */
#ifndef TRACER_KEEPER_FIRE_FIRE_H
#define TRACER_KEEPER_FIRE_FIRE_H

#include "tracer/keeper/space/program.h"
#include "tracer/keeper/space/task.h"

struct fire {
	struct program *program;
	const struct task *task;
	const struct bpt_site *site; /* NULL: not at a site */
	/* With rip at the site. */
	const struct regs *regs;
	/* Not at a site: arg0 on. */
	const uint64_t *args;
	size_t nargs;
	uint32_t error; /* errno of the system call that has failed */
	/* Hits of the site up to this number have been met already; 0: none. */
	uint32_t after;
	/* Out: the first hit of a probe of fpid; NULL: there was none. */
	const struct bpt_hit *fpid;
	/* Of the hit that fires now. */
	const struct bpt_hit *hit;
	/* The stack that was cut in the present firing: where; frames 0: none. */
	uint64_t cut_pc;
	uint32_t cut_frames;
	bool is_cut; /* what fires now is diag:::missed-ustack */
};

/* Fires the probes of the site in order. True when one of its hits is a hold. */
bool fire_site(struct fire *f);
/* Fires one probe, by its index in the table, that has no site. */
void fire_probe(struct fire *f, uint32_t probe);

/* The target's memory for step_emulate() and step_target(); ctx is its struct task. */
struct step_memory fire_memory(const struct task *task);

#endif
