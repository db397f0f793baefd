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
#ifndef TRACER_KEEPER_STEP_H
#define TRACER_KEEPER_STEP_H

#include "disasm/disasm.h"
#include <sys/user.h>

/* A copy with its jump back needs at most this: 15 + a little + 14. */
#define STEP_COPY_MAX 48

enum step_how {
	STEP_EMULATE, /* step_emulate() does it: branches, calls, nops, ... */
	STEP_COPY,    /* run the moved copy */
	STEP_REFUSE,  /* neither: no breakpoint may be set here; reason says why */
};

/* What must be done at a site, worked out once from its instruction. */
enum step_how step_plan(const struct insn *in, const char **reason);

/*
 * The copy's bytes for address to (with the jump back at its end).
 * *insn_len is the length of the moved instruction alone: a thread found at
 * to has not run it, at to + *insn_len has (so its pc means the next
 * instruction). Returns the total length, or STATUS_RANGE / STATUS_UNSUP.
 */
int step_copy(const struct insn *in, taddr to, uint8_t out[STEP_COPY_MAX], uint8_t *insn_len);

/* The target's memory; each returns 0 or STATUS_FAULT. */
struct step_memory {
	void *ctx;
	int (*read)(void *ctx, taddr addr, void *buf, size_t n);
	int (*write)(void *ctx, taddr addr, const void *buf, size_t n);
};

/*
 * Runs in (a STEP_EMULATE instruction) on regs, whose rip must be in->addr;
 * afterwards rip, and rsp or rcx where the instruction changes them, are as
 * the processor would leave them. STATUS_FAULT: memory was not accessible,
 * nothing changed; the caller must let the thread take the fault natively.
 */
int step_emulate(const struct insn *in, struct user_regs_struct *regs,
		 const struct step_memory *mem);

/*
 * Where control goes from a direct or indirect jump, conditional or not, or a
 * ret with these registers, without changing anything: for return probes on
 * jumps out of a function. Not taken: the next instruction. STATUS_FAULT as above.
 */
int step_target(const struct insn *in, const struct user_regs_struct *regs,
		const struct step_memory *mem, taddr *target);

#endif
