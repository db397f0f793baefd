/* SPDX-License-Identifier: MIT */
/*
 * One instruction of a patched entry at its new place in a stub. Private to
 * hook/. Beyond reloc_copy() it moves what changes the flow of control:
 *
 *	endbr64           nothing: only where an indirect branch arrives it matters
 *	jmp target        jmp rel32
 *	jcc target        jcc rel32
 *	loop, jrcxz       loop 1f; jmp 2f; 1: jmp rel32; 2:
 *	jmp *operand      the same, a rip-relative operand adjusted
 *	call target       push 1f(%rip); jmp rel32; 1: .quad return address
 *	call *operand     push 1f(%rip); jmp *operand; 1: .quad return address
 *
 * A moved call pushes the address after the original one, so that nothing of
 * ours is ever on the target's stack; it must be the last to be moved.
 */
#ifndef HOOK_MOVE_H
#define HOOK_MOVE_H

#include "disasm/disasm.h"

/* push, the longest jump, the address */
#define MOVE_MAX (6 + INSN_MAX + 8)

/* A boundary between two instructions of the moved form. */
struct move_point {
	uint8_t at;    /* offset of the later one */
	taddr pc;      /* running on at pc after adding sp_fix to rsp ... */
	int8_t sp_fix; /* ... does the same as running on here */
};

struct move {
	uint8_t bytes[MOVE_MAX];
	uint8_t n;
	bool is_end; /* control does not reach the end of the bytes */
	/* Offset of the displacement that leads out of the bytes; 0: there is none. At
	 * another place it is larger by the distance to there, unless is_cut: the
	 * processor cuts the sum to 32 bits (prefix 67). */
	uint8_t field;
	bool is_cut;
	struct move_point points[3];
	uint8_t npoints;
};

/*
 * 0; STATUS_RANGE when a target or operand is out of reach from to, or
 * STATUS_UNSUP for what the planner must not let through.
 */
int move_insn(const struct insn *in, taddr to, struct move *out);

#endif
