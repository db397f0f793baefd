/* SPDX-License-Identifier: MIT */
/*
 * Private to hook/: one region that a jump is to take over, for the planner of
 * whole functions.
 */
#ifndef HOOK_PLAN_H
#define HOOK_PLAN_H

#include "disasm/disasm.h"
#include "hook/target.h"

struct planning {
	const struct hook_module *module;
	const struct hook_branches *branches;
	taddr lo, hi; /* of the function, or the part of it */
	bool has_shadow_stack;
	struct hook_islands *islands; /* or NULL */
	size_t jump;		      /* bytes that the region needs at least */
	struct hook_plan *plan;
	/* The region's first instruction. */
	taddr at;
	const uint8_t *code; /* the file's bytes from there on ... */
	size_t left;	     /* ... to the end of the segment, or of the window of it */
	uint64_t size;	     /* bytes left of the function */
};

/* Begins at p->at: false when the file has no code there. */
bool planning_begin(struct planning *p, taddr at);
int planning_decode(const struct planning *p, size_t at, struct insn *in);

/*
 * Whether nothing runs, refers to or unwinds through the bytes [lo, lo + n), which
 * follow an instruction that never goes on, and no other plan uses them. Inside the
 * function that is known only if all of its jumps are.
 */
bool planning_is_dead(const struct planning *p, taddr lo, size_t n);
/* Whether the instruction is one that fills space. */
bool plan_is_padding(const struct insn *in);

/* Why nothing may be written on the instruction at p->at. */
enum hook_reason plan_first(const struct planning *p, struct insn *first);
/*
 * A jump at p->at that takes over at least all instructions up to `end`: fills in
 * the plan but for its sites.
 */
enum hook_reason plan_region(struct planning *p, taddr end);
/* A retargeted call, if there is a call at p->at; else false. */
bool plan_call(struct planning *p, const struct insn *first, enum hook_reason *reason);
/* Puts the bytes that the plan takes over into it. */
enum hook_reason plan_finish(struct planning *p);
/* The plan of a site that takes no jump, for that reason. */
void plan_refuse(struct hook_plan *plan, taddr site, enum hook_reason reason);

#endif
