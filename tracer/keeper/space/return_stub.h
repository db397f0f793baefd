/* SPDX-License-Identifier: MIT */
/*
 * The code in the target from which remote calls (remote_call.h) are made, so that the
 * keeper may die in the middle of one. After its syscall instruction it restores the
 * thread's signal mask and registers, which the keeper has stored behind the code, and
 * jumps to where the thread was. The program's stack is not written.
 *
 *	0	syscall			<- pc of a call; rsp: the word with the flags
 *	2	popfq, rsp, mask, registers
 *		jmp *pc(%rip)
 *	...	flags, mask, registers, pc
 *
 * It is in the padding after the vDSO's image, at the end of its last page: that is
 * mapped in nearly every process, executable, zero, and otherwise unused. Afterwards it
 * is zero again. mem is a descriptor of /proc/PID/mem.
 */
#ifndef TRACER_KEEPER_SPACE_RETURN_STUB_H
#define TRACER_KEEPER_SPACE_RETURN_STUB_H

#include "tracer/keeper/os/procfs.h"
#include "vm/base/base.h"

#include "vm/base/regs.h"

#define RETURN_STUB_BYTES 256u

/* Where the stub can be in the process; 0: it has no such place. */
taddr return_stub_find(const struct procfs_maps *maps, int mem);
/* Whether the place is zero, or has our code still, as in a fork child. */
bool return_stub_is_usable(int mem, taddr at);
/* Writes the code. 0, or a status as of mem_write(). */
int return_stub_fill(int mem, taddr at);
/* Makes the place zero again, if our code is there. */
void return_stub_clear(int mem, taddr at);
/*
 * Stores the registers and the signal mask that the thread, in PTRACE_EVENT_STOP,
 * continues with. A call that the stop interrupted is restarted.
 */
int return_stub_keep(int mem, taddr at, const struct regs *regs, uint64_t mask);
/* Sets pc and stack pointer so that the thread only restores itself. */
void return_stub_enter(taddr at, struct regs *regs);
/* The same for its next call; the caller sets the number and the arguments. */
void return_stub_call(taddr at, struct regs *regs);

#endif
