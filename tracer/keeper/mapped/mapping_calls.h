/* SPDX-License-Identifier: MIT */
/*
 * Where a process maps code by system calls of its own: which of them hold a thread.
 * Those that map no code cost a stop. A process that makes very many of them, or maps
 * very much code, is held no more from then on: the front looks at its maps now and then.
 */
#ifndef TRACER_KEEPER_MAPPED_MAPPING_CALLS_H
#define TRACER_KEEPER_MAPPED_MAPPING_CALLS_H

#include "tracer/keeper/keeper.h"
#include "vm/base/regs.h"

/* In one second: stops, and threads held, which cost ten times as much. */
#define MAPPING_CALLS_MAX  4000
#define MAPPING_CALLS_HOLD 10

/* Calls in one second that concern no code of ours: then they stop no more. */
#define MAPPING_MOVES_MAX 1000

/* Of a space; zeroed. */
struct mapping_calls {
	uint64_t begin; /* ns; of the second that is counted */
	uint32_t cost;	/* in it */
	bool is_often;	/* there were too many */
	/* Those that concerned no code of ours: since when, and how many. */
	uint64_t moves_begin;
	uint32_t moves;
};

/*
 * What the call has mapped for execution; hi 0: nothing that counts. r: right after the
 * system call, so that its arguments and its result are in their registers.
 */
struct addr_range mapping_call_range(enum keeper_hold hold, const struct regs *r);

/*
 * A thread has come there: whether it is to be held, range being what it has mapped. The
 * last one that is held is the one with which it becomes too many, whatever it mapped.
 */
bool mapping_call_holds(struct mapping_calls *calls, const struct addr_range *range,
			uint64_t now);

/* What mremap(2) has moved, and to where; from.hi 0: nothing. r: as above. */
struct mapping_move {
	struct addr_range from;
	taddr to;
};
struct mapping_move mapping_call_move(const struct regs *r);
/* The part of the address space that has both. */
struct addr_range mapping_move_range(const struct mapping_move *m);

/* What mprotect(2) has made writable; hi 0: nothing. r: as above. */
struct addr_range mapping_call_writable(const struct regs *r);

/*
 * The thread has moved nothing of ours, or made no code of ours writable: whether it is
 * held, once, because that is too often.
 */
bool mapping_move_is_last(struct mapping_calls *calls, uint64_t now);

#endif
