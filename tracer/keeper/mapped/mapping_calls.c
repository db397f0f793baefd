/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/mapped/mapping_calls.h"

#include <sys/mman.h>

#define WINDOW_NS    UINT64_C(1000000000)
#define MAPPING_PAGE UINT64_C(4096)

/* The places of the arguments of mmap(2), mprotect(2) and pkey_mprotect(2). */
enum { ARG_ADDRESS, ARG_LENGTH, ARG_PROTECTION, ARG_FLAGS };

struct addr_range mapping_call_range(enum keeper_hold hold, const struct regs *r)
{
	const struct addr_range none = {{0}, {0}};
	int64_t result = regs_syscall_result(r);
	uint64_t at = (uint64_t)result, size = regs_syscall_arg(r, ARG_LENGTH);

	if (hold == KEEPER_HOLD_ALWAYS ||
	    !(regs_syscall_arg(r, ARG_PROTECTION) & PROT_EXEC) ||
	    (result < 0 && result > -4096))
		return none;
	if (hold == KEEPER_HOLD_MMAP &&
	    (regs_syscall_arg(r, ARG_FLAGS) & MAP_ANONYMOUS))
		return none;
	if (hold == KEEPER_HOLD_MPROTECT)
		at = regs_syscall_arg(r, ARG_ADDRESS);
	if (!size || size > UINT64_MAX - at)
		return none;
	return (struct addr_range){taddr_of(at), taddr_of(at + size)};
}

struct mapping_move mapping_call_move(const struct regs *r)
{
	const struct mapping_move none = {{{0}, {0}}, {0}};
	int64_t result = regs_syscall_result(r);
	uint64_t from = regs_syscall_arg(r, ARG_ADDRESS), to = (uint64_t)result;
	uint64_t size = regs_syscall_arg(r, ARG_LENGTH);

	/* A length of 0 copies a shared mapping, which stays. */
	if ((result < 0 && result > -4096) || from == to || !size ||
	    size > UINT64_MAX - from || size > UINT64_MAX - to)
		return none;
	return (struct mapping_move){{taddr_of(from), taddr_of(from + size)},
				     taddr_of(to)};
}

struct addr_range mapping_move_range(const struct mapping_move *m)
{
	const uint64_t size = m->from.hi.v - m->from.lo.v;

	return (struct addr_range){
		taddr_of(min_u64(m->from.lo.v, m->to.v)),
		taddr_of(max_u64(m->from.hi.v, m->to.v + size)),
	};
}

struct addr_range mapping_call_writable(const struct regs *r)
{
	const struct addr_range none = {{0}, {0}};
	uint64_t at = regs_syscall_arg(r, ARG_ADDRESS);
	uint64_t size = regs_syscall_arg(r, ARG_LENGTH);

	/* Some of it may be writable after a failure. */
	if (!(regs_syscall_arg(r, ARG_PROTECTION) & PROT_WRITE) || !size ||
	    size > UINT64_MAX - MAPPING_PAGE - at)
		return none;
	return (struct addr_range){taddr_of(at),
				   taddr_of(align_up(at + size, MAPPING_PAGE))};
}

bool mapping_move_is_last(struct mapping_calls *calls, uint64_t now)
{
	if (calls->moves == MAPPING_MOVES_MAX)
		return false;
	if (now - calls->moves_begin >= WINDOW_NS) {
		calls->moves_begin = now;
		calls->moves = 0;
	}
	return ++calls->moves == MAPPING_MOVES_MAX;
}

bool mapping_call_holds(struct mapping_calls *calls, const struct addr_range *range,
			uint64_t now)
{
	bool holds = range->hi.v != 0;

	if (calls->is_often)
		return false;
	if (now - calls->begin >= WINDOW_NS) {
		calls->begin = now;
		calls->cost = 0;
	}
	calls->cost += holds ? MAPPING_CALLS_HOLD : 1;
	calls->is_often = calls->cost > MAPPING_CALLS_MAX;
	return holds || calls->is_often;
}
