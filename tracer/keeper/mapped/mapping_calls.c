/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/mapped/mapping_calls.h"

#include <sys/mman.h>

#define WINDOW_NS UINT64_C(1000000000)

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
