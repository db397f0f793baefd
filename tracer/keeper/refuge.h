/* SPDX-License-Identifier: MIT */
/*
 * A page in the target that calls of ours are made from, so that the keeper may die in
 * the middle of one: behind its syscall instruction stands code that puts signal mask
 * and registers of the thread back, as the keeper wrote them there before, and goes on
 * where the thread stood. No stack is written.
 *
 *	0	syscall			<- pc of a call, rsp: the flags' word below
 *	2	popfq, rsp, mask, registers
 *		jmp *pc(%rip)
 *	...	flags, mask, registers, pc
 *
 * The page itself is mapped and unmapped from elsewhere: in these two calls a thread
 * whose keeper dies runs on behind some instruction of the program.
 */
#ifndef TRACER_KEEPER_REFUGE_H
#define TRACER_KEEPER_REFUGE_H

#include "vm/base/base.h"

#include <sys/user.h>

#define REFUGE_BYTES 4096u

/* Writes the code. 0, or a negative status. */
int refuge_fill(int mem, uint64_t page);
/* Whether the code stands there: a fork child may be older than the page. */
bool refuge_is_there(int mem, uint64_t page);
/*
 * Writes what the thread, in PTRACE_EVENT_STOP with these registers and this mask, is to
 * go on with; a call that it was interrupted in is made again.
 */
int refuge_keep(int mem, uint64_t page, const struct user_regs_struct *regs,
		uint64_t mask);
/* Where pc and stack pointer are to be for that: of a thread that makes no call. */
void refuge_enter(uint64_t page, struct user_regs_struct *regs);
/* The same for its next call: rax and the arguments are the caller's. */
void refuge_call(uint64_t page, struct user_regs_struct *regs);

#endif
