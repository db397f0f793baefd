/* SPDX-License-Identifier: MIT */
/*
 * What the tracer knows about x86-64 instructions: where they begin, where
 * they go, and how one can run somewhere else. Pure functions over bytes;
 * nothing here touches a process. decode() is not thread-safe: one decoder a
 * process; the rest is.
 *
 *	decode	one instruction -> struct insn
 *	scan	one function -> its instructions, ways out and refusals
 *	reloc	one instruction -> bytes that do the same at another address
 *	emit	the few forms we write ourselves
 */
#ifndef DISASM_DISASM_H
#define DISASM_DISASM_H

#include "vm/base/base.h"
#include "vm/base/taddr.h"

#define INSN_MAX 15 /* longest x86 instruction (Intel SDM vol. 2, 2.3.11) */

enum insn_kind {
	INSN_OTHER,	   /* falls through, no control transfer */
	INSN_JMP,	   /* direct jmp: target */
	INSN_JCC,	   /* direct conditional jump: target, cc */
	INSN_LOOP,	   /* loop, loope, loopne, jcxz, jecxz, jrcxz: target */
	INSN_CALL,	   /* direct call: target */
	INSN_JMP_INDIRECT, /* through a register or memory: mem/reg */
	INSN_CALL_INDIRECT,
	INSN_RET,	  /* ret, rep ret, bnd ret, ret imm16 (near) */
	INSN_SYSCALL,	  /* syscall, sysenter */
	INSN_INT,	  /* int3, int n, int1, into */
	INSN_HLT,	  /* hlt, ud0, ud1, ud2: never continues */
	INSN_FAR,	  /* far jmp, call, ret, iret, sysret, uiret, enclu */
	INSN_TRANSACTION, /* xbegin (target), xend, xabort */
};

/* Registers by their hardware number: rax 0, rcx 1, rdx 2, rbx 3, rsp 4 ... r15 15. */
#define INSN_NO_REG  255
#define INSN_REG_RIP 16

/* The memory operand that ModRM names: at most one. */
struct insn_mem {
	uint8_t base, index; /* hardware number, INSN_REG_RIP or INSN_NO_REG */
	uint8_t scale;	     /* 1, 2, 4, 8 */
	uint8_t segment;     /* 0 none, else 'f' or 'g' */
	int64_t disp;
};

struct insn {
	taddr addr;
	uint8_t len;
	uint8_t bytes[INSN_MAX];
	uint8_t opcode; /* its last opcode byte */
	enum insn_kind kind;
	taddr target; /* of direct transfers */
	/* INSN_JCC: low four bits of the opcode; INSN_LOOP: low two, so 0 loopne,
	 * 1 loope, 2 loop, 3 jrcxz */
	uint8_t cc;
	uint8_t reg;  /* of indirect transfers through a register, else INSN_NO_REG */
	bool addr32;  /* prefix 67: addresses are cut to 32 bits, loops use ecx */
	bool has_mem; /* mem is valid; never with VEX, EVEX and XOP */
	struct insn_mem mem;
	bool rip_relative;   /* has a rip-relative operand ... */
	uint8_t disp_offset; /* ... whose disp32 stands here in bytes */
	uint16_t ret_pop;    /* of ret imm16 */
	bool is_nop;	     /* nop forms, endbr64 not included */
	bool is_endbr;	     /* endbr64 */
	bool is_far_call;    /* of INSN_FAR */
};

/*
 * Decodes the instruction at the start of n bytes that stand at addr.
 * Returns 0, STATUS_BADFMT when they are not one whole valid instruction, or
 * STATUS_NOMEM when the disassembler library cannot start. Near branches with
 * prefix 66 and no REX.W are STATUS_BADFMT too: Intel and AMD differ on them.
 */
int decode(const uint8_t *bytes, size_t n, taddr addr, struct insn *out);

/*
 * The same by the rules of encoding alone, without asking the disassembler
 * library whether the instruction exists: 20 times faster and thread-safe. For
 * looking through whole modules, where a wrong answer costs only caution;
 * never for an instruction that is moved or written over.
 */
int decode_quick(const uint8_t *bytes, size_t n, taddr addr, struct insn *out);

/* Whether control can reach the byte after this instruction without a jump back. */
bool insn_falls_through(const struct insn *in);

struct scan_site {
	uint32_t offset; /* from the start of the scanned range */
	uint8_t len;
	bool is_exit;  /* a return, or a jump that leaves every range (when taken) */
	bool is_maybe; /* an indirect jump: an exit if its target lies outside */
};

/*
 * Every instruction of one function, in address order. bytes holds n bytes
 * of ranges[0]; nranges says all its parts (for what "leaves" means).
 * Calls site() for each. Returns 0, or the status of decode() with *bad set to
 * the offset where it failed, after site() for all before it; STATUS_INVAL
 * (and *bad untouched) when nranges is 0 or n exceeds 32 bits. A jump to the
 * function's own entry stays inside and is no exit. Exits are decoded fully, the
 * others by decode_quick().
 */
struct scan_request {
	const uint8_t *bytes;
	size_t n;
	const struct addr_range *ranges;
	size_t nranges;
	void (*site)(void *ctx, const struct scan_site *site, const struct insn *in);
	void *ctx;
};
int scan_function(const struct scan_request *req, uint32_t *bad);

/*
 * Why no breakpoint or patch may stand on this instruction at all, whether
 * emulated or moved (static text), or NULL if one may.
 */
const char *insn_refusal(const struct insn *in);

#define RELOC_MAX (INSN_MAX + EMIT_MOV_RCX) /* the longest copy */

/*
 * Writes to out (cap >= RELOC_MAX bytes) what must stand at address to so that
 * running it does what in does where it stood, except that control goes on
 * behind the copy. The caller appends the jump back. Only for instructions that
 * are position-independent or have a rip-relative operand, also such as are made to
 * fault, for ret, and for syscall: that one is followed by a mov which puts into rcx
 * what the processor would have left there at the original place. (Not the same
 * afterwards: the x87 instruction pointer, which fnstenv and fxsave show.)
 * Returns the number of bytes, or a negative status: STATUS_RANGE when a
 * displacement does not reach, STATUS_UNSUP for every form that must be
 * emulated or refused instead; *reason then says why (static text).
 */
int reloc_copy(const struct insn *in, taddr to, uint8_t *out, size_t cap,
	       const char **reason);

#define EMIT_JMP_REL32 5
#define EMIT_JMP_ABS   14
#define EMIT_MOV_RCX   10

/* jmp rel32 at from to to; STATUS_RANGE if it does not reach. */
int emit_jmp_rel32(taddr from, taddr to, uint8_t out[EMIT_JMP_REL32]);
/* jmp *0(%rip); .quad to: reaches everywhere, changes no register. Returns its length. */
size_t emit_jmp_abs(taddr to, uint8_t out[EMIT_JMP_ABS]);
/* movabs $value, %rcx: changes no flags. Returns its length. */
size_t emit_mov_rcx(uint64_t value, uint8_t out[EMIT_MOV_RCX]);

#endif
