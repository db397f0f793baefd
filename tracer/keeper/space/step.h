/* SPDX-License-Identifier: MIT */
/*
 * How a thread at a breakpoint gets past the instruction under it while the breakpoint
 * stays: either the keeper computes the new registers (emulation), or the thread runs a
 * copy of the instruction in an out-of-line slot (xol.h), which jumps back to the next
 * instruction. Pure: no ptrace here, memory through two callbacks, so that tests run
 * every form on arrays.
 *
 *	site:  int3 ...            slot:  insn (moved)
 *	next:  ...                        jmp next
 */
#ifndef TRACER_KEEPER_SPACE_STEP_H
#define TRACER_KEEPER_SPACE_STEP_H

#include "disasm/disasm.h"
#include "vm/base/regs.h"

/* The longest slot: instruction 15, rcx after a syscall 10, jump back 14, rounded up. */
#define STEP_SLOT_MAX 48

enum step_how {
	STEP_EMULATE, /* step_emulate() does it: branches, calls, nops, ... */
	STEP_XOL,     /* run it in a slot */
	STEP_REFUSE,  /* neither: no breakpoint can be set here; reason says why */
};

/* What must be done at a site: decided once, from its instruction. */
enum step_how step_plan(const struct insn *in, const char **reason);

/*
 * The slot's bytes for address to, with the jump back at its end. *insn_len is the length
 * of the moved instruction alone. A thread at `to` has not run it, or not completed it (a
 * rep, or a system call to be restarted); at to + *insn_len and later it has. A ret gets
 * no jump back. Returns the total length, or STATUS_RANGE, STATUS_UNSUP.
 *
 * A syscall leaves the address after it in rcx, which would be one inside the slot; so a
 * mov follows that corrects rcx. A thread can be stopped at to + *insn_len, before
 * that mov, for long: at the exit of the call, as a child that was just made, with a
 * signal to deliver. Code that looks at its registers there, or moves or detaches it,
 * must use step_pc_fixup().
 */
int step_build_slot(const struct insn *in, taddr to, uint8_t out[STEP_SLOT_MAX],
		    uint8_t *insn_len);

/*
 * Corrects the registers of a thread stopped in the slot at this address, slot_len bytes
 * long: its pc, and after a syscall its rcx, become what they would be without us.
 * Returns whether the pc was in the slot. Before the instruction the new pc is the site
 * itself: a thread that continues there hits the breakpoint again.
 */
bool step_pc_fixup(const struct insn *in, taddr slot, size_t slot_len,
		   struct regs *regs);

/* The target's memory; each returns 0 or STATUS_FAULT. */
struct step_memory {
	void *ctx;
	int (*read)(void *ctx, taddr addr, void *buf, size_t n);
	int (*write)(void *ctx, taddr addr, const void *buf, size_t n);
};

/*
 * Runs in (a STEP_EMULATE instruction) on regs, whose rip must be in->addr;
 * afterwards rip, and rsp or rcx where the instruction changes them, are as
 * the processor would leave them. STATUS_FAULT: memory was not accessible or
 * the target is not canonical, and nothing has changed; the caller must let the processor
 * run the instruction and raise the fault. User shadow stacks (CET) are not maintained.
 */
int step_emulate(const struct insn *in, struct regs *regs,
		 const struct step_memory *mem);
/* Whether that needs any register besides rip. */
bool step_needs_regs(const struct insn *in);

/*
 * Where control goes from a direct or indirect jump or call, conditional or
 * not, or a ret with these registers, without changing anything: for return
 * probes on jumps out of a function. Not taken, or no transfer: the next
 * instruction. STATUS_FAULT as above, STATUS_UNSUP for what step_plan() refuses.
 */
int step_target(const struct insn *in, const struct regs *regs,
		const struct step_memory *mem, taddr *target);

#endif
