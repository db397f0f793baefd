/* SPDX-License-Identifier: MIT */
/*
 * When a function that ends in a jump to another one returns (the option tailcall):
 *
 *	jump	at the jump; its result is not known there
 *	follow	when the other returns, with the other's result, where that can be known
 *	auto	follow, for functions that leave in no other way, if they are named or
 *		a clause reads the result; for others, if they are named and one does
 *
 * To follow takes sites in the other function, and in those to which that one jumps
 * (vm/tail_calls.h). It is done where all of them are known: functions of C in the same
 * module, also through a stub for calls among modules, that do not lead back to the first
 * one, TAIL_FUNCTIONS_MAX of them. Where one of them leaves by an indirect jump the first
 * one returns there, without a result.
 */
#ifndef TRACER_EXITS_TAIL_CALLS_H
#define TRACER_EXITS_TAIL_CALLS_H

#include "tracer/exits/exits.h"
#include "tracer/targets/target.h"

#define TAIL_FUNCTIONS_MAX 16

/* Exits of a function by what they are. */
struct tail_exits {
	size_t nreturns;
	size_t ntails; /* direct jumps to other functions */
};

/*
 * Whether the exit at an address of the part that is scanned is a jump: another function
 * makes the result. Counts it.
 */
bool tail_calls_meet(const struct exits_scan *x, taddr addr, struct tail_exits *seen);

/* before_sending() of the providers: adds sites for target->tail_functions. */
void tail_calls_follow(struct tracer *t, struct target *target);

#endif
