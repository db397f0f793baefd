/* SPDX-License-Identifier: MIT */
/*
 * How a thread that stands at a breakpoint gets past the instruction under
 * it without the breakpoint being lifted: the keeper works out the new
 * registers (emulation), or sends the thread through a copy of the
 * instruction in scratch memory that jumps back behind the site. Pure: no
 * ptrace here, memory through two callbacks, so every form is tested on
 * arrays.
 *
 *	site:  int3 ...            copy:  insn (moved)
 *	next:  ...                        jmp next
 */
#ifndef TRACER_KEEPER_SPACE_STEP_H
#define TRACER_KEEPER_SPACE_STEP_H

#include "disasm/disasm.h"
#include "vm/base/regs.h"

/* A copy with its jump back needs at most this: 15 + 10 (syscall's rcx) + 14. */
#define STEP_SLOT_MAX 48

enum step_how {
	STEP_EMULATE, /* step_emulate() does it: branches, calls, nops, ... */
	STEP_XOL,     /* run the moved copy */
	STEP_REFUSE,  /* neither: no breakpoint may be set here; reason says why */
};

/* What must be done at a site, worked out once from its instruction. */
enum step_how step_plan(const struct insn *in, const char **reason);

/*
 * The copy's bytes for address to (with the jump back at its end).
 * *insn_len is the length of the moved instruction alone: a thread found at
 * to has not run it (or not finished it: rep, or a syscall to be restarted),
 * at to + *insn_len and further on has. A ret has no jump back: it is gone.
 * Returns the total length, or STATUS_RANGE / STATUS_UNSUP.
 *
 * A syscall leaves the address behind it in rcx, which would be one inside the
 * copy; so the copy goes on with a mov that sets rcx right. A thread can stop
 * for long at to + *insn_len, before that mov: at the exit of the call, in
 * a child just forked or cloned, with a signal to deliver. Whoever looks at its
 * registers there, or moves or detaches it, must go through step_pc_fixup().
 */
int step_build_slot(const struct insn *in, taddr to, uint8_t out[STEP_SLOT_MAX],
		    uint8_t *insn_len);

/*
 * Takes a stopped thread out of the copy at copy (copy_len bytes, as
 * step_build_slot() returned): where its pc is inside, gives it the pc, and after a
 * syscall the rcx, it would have without us. Returns whether it was inside.
 * Before the instruction that pc is the site itself, where the breakpoint stands:
 * continuing from there fires it again.
 */
bool step_pc_fixup(const struct insn *in, taddr copy, size_t copy_len,
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
 * the target is not canonical, nothing changed; the caller must let the thread
 * take the fault natively. User shadow stacks (CET) are not maintained.
 */
int step_emulate(const struct insn *in, struct regs *regs,
		 const struct step_memory *mem);

/*
 * Where control goes from a direct or indirect jump or call, conditional or
 * not, or a ret with these registers, without changing anything: for return
 * probes on jumps out of a function. Not taken, or no transfer: the next
 * instruction. STATUS_FAULT as above, STATUS_UNSUP for what step_plan() refuses.
 */
int step_target(const struct insn *in, const struct regs *regs,
		const struct step_memory *mem, taddr *target);

#endif
