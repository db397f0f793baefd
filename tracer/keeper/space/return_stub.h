/* SPDX-License-Identifier: MIT */
/*
 * A place in the target that calls of ours are made from, so that the keeper may die in
 * the middle of one: behind its syscall instruction stands code that puts signal mask
 * and registers of the thread back, as the keeper wrote them there before, and goes on
 * where the thread stood. No stack is written.
 *
 *	0	syscall			<- pc of a call, rsp: the flags' word below
 *	2	popfq, rsp, mask, registers
 *		jmp *pc(%rip)
 *	...	flags, mask, registers, pc
 *
 * It is in the padding behind the vDSO's file, up to the end of its last page: mapped in
 * (nearly) every process, executable, zero, and used by nobody. It is zero again
 * afterwards.
 */
#ifndef TRACER_KEEPER_SPACE_RETURN_STUB_H
#define TRACER_KEEPER_SPACE_RETURN_STUB_H

#include "tracer/keeper/os/procfs.h"
#include "vm/base/base.h"

#include "vm/base/regs.h"

#define RETURN_STUB_BYTES 256u

/* The place in the process, or 0: it has none. */
taddr return_stub_find(const struct procfs_maps *maps, int mem);
/* Whether it is free, or still what it was filled with: of a fork child, for instance. */
bool return_stub_is_usable(int mem, taddr at);
/* Writes the code. 0, or a negative status. */
int return_stub_fill(int mem, taddr at);
/* Makes it zero again if it was filled. */
void return_stub_clear(int mem, taddr at);
/*
 * Writes what the thread, in PTRACE_EVENT_STOP with these registers and this mask, is to
 * go on with; a call that it was interrupted in is made again.
 */
int return_stub_keep(int mem, taddr at, const struct regs *regs, uint64_t mask);
/* Where pc and stack pointer are to be for that: of a thread that makes no call. */
void return_stub_enter(taddr at, struct regs *regs);
/* The same for its next call: rax and the arguments are the caller's. */
void return_stub_call(taddr at, struct regs *regs);

#endif
