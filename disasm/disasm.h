/* SPDX-License-Identifier: MIT */
/*
 * x86-64 instructions: their boundaries, their control flow, and how to run a copy of
 * one at another address. Pure functions over bytes; no process is touched.
 *
 *	decode	one instruction -> struct insn, or struct insn_brief
 *	scan	one function -> its instructions and exits
 *	reloc	one instruction -> bytes that do the same at another address
 *	emit	the few instructions that dtrace writes itself
 *
 * The functions return 0 or a length, or a negative enum status. All are thread-safe
 * but decode(), insn_text(), scan_is_exit(), and scan_function(), which calls decode()
 * unless it is to be quick: a process has one decoder.
 */
#ifndef DISASM_DISASM_H
#define DISASM_DISASM_H

#include "vm/base/base.h"
#include "vm/base/taddr.h"

#define INSN_MAX 15 /* longest x86 instruction (Intel SDM vol. 2, 2.3.11) */

enum insn_kind {
	INSN_OTHER,	   /* no control transfer: continues with the next one */
	INSN_JMP,	   /* direct jmp: target */
	INSN_JCC,	   /* direct conditional jump: target, cc */
	INSN_LOOP,	   /* loop, loope, loopne, jcxz, jecxz, jrcxz: target */
	INSN_CALL,	   /* direct call: target */
	INSN_JMP_INDIRECT, /* through a register or memory: mem/reg */
	INSN_CALL_INDIRECT,
	INSN_RET,	  /* ret, rep ret, bnd ret, ret imm16 (near) */
	INSN_SYSCALL,	  /* syscall, sysenter */
	INSN_INT,	  /* int3, int n, int1, into */
	INSN_HLT,	  /* hlt, ud0, ud1, ud2: does not continue */
	INSN_FAR,	  /* far jmp, call, ret, iret, sysret, uiret, enclu */
	INSN_TRANSACTION, /* xbegin (target), xend, xabort */
};

/* Registers have their hardware number: rax 0, rcx 1, rdx 2, rbx 3, rsp 4 ... r15 15. */
#define INSN_NO_REG  255
#define INSN_REG_RIP 16

/* The memory operand of ModRM. An instruction has at most one. */
struct insn_mem {
	uint8_t base, index; /* hardware number, INSN_REG_RIP or INSN_NO_REG */
	uint8_t scale;	     /* 1, 2, 4, 8 */
	uint8_t segment;     /* 'f', 'g', or 0: none with an effect */
	int64_t disp;
};

struct insn {
	taddr addr;
	uint8_t len;
	uint8_t bytes[INSN_MAX];
	uint8_t opcode; /* the last opcode byte */
	enum insn_kind kind;
	taddr target; /* of direct transfers */
	/* INSN_JCC: low four bits of the opcode. INSN_LOOP: the low two: 0 loopne,
	 * 1 loope, 2 loop, 3 jrcxz */
	uint8_t cc;
	uint8_t reg;  /* of indirect transfers through a register, else INSN_NO_REG */
	bool addr32;  /* prefix 67: addresses have 32 bits, loops use ecx */
	bool has_mem; /* mem is valid; never set for VEX, EVEX and XOP */
	struct insn_mem mem;
	bool rip_relative;   /* has a rip-relative operand ... */
	uint8_t disp_offset; /* ... with its disp32 at this offset in bytes */
	uint16_t ret_pop;    /* of ret imm16 */
	bool is_nop;	     /* nop forms, endbr64 not included */
	bool is_endbr;	     /* endbr64 */
	bool is_far_call;    /* of INSN_FAR */
};

/*
 * Decodes the first instruction of n bytes that are at addr. Returns 0; STATUS_BADFMT
 * if they do not begin with a whole valid instruction; STATUS_NOMEM if the disassembler
 * library cannot start. Near branches with prefix 66 and without REX.W are
 * STATUS_BADFMT too: Intel and AMD processors execute them differently.
 */
int decode(const uint8_t *bytes, size_t n, taddr addr, struct insn *out);

/*
 * The same by the rules of encoding only: the disassembler library does not confirm
 * that the instruction exists. 20 times faster, and thread-safe. For scans of whole
 * modules, where a wrong answer only makes dtrace more careful; never for an
 * instruction that is moved or overwritten.
 */
int decode_quick(const uint8_t *bytes, size_t n, taddr addr, struct insn *out);

#define INSN_TEXT_MAX 192

/*
 * The text of the first instruction of n bytes that are at addr, as assemblers of Unix
 * write it, for readers: without control characters. Returns the instruction's bytes; 0
 * if there is none: the text is then empty.
 */
size_t insn_text(const uint8_t *bytes, size_t n, taddr addr, char text[INSN_TEXT_MAX]);

/* What a pass over all instructions of a module needs of each. */
struct insn_brief {
	taddr target; /* of direct transfers; of lea: the address, if is_lea */
	uint8_t len;
	uint8_t kind;	/* enum insn_kind */
	uint8_t opcode; /* the last opcode byte */
	uint8_t scale;	/* of the memory operand's index register; 0: it has none */
	bool is_rip_relative; /* has a rip-relative operand ... */
	bool ends_in_disp;    /* ... whose displacement is its last four bytes */
	bool is_lea;	      /* loads an address by a rip-relative operand */
	bool is_far_call;     /* of INSN_FAR */
};

/*
 * What decode_quick() says, in brief, and the same status. Five times faster than that
 * for the common instructions.
 */
int decode_brief(const uint8_t *bytes, size_t n, taddr addr, struct insn_brief *out);

/*
 * The address that the rip-relative operand of the instruction at this address names, of
 * lea too. False: it has none, or where its displacement is is not known.
 */
bool insn_names(const struct insn_brief *in, taddr at, const uint8_t *bytes,
		taddr *out);

/*
 * Skips instructions from number `at` of n bytes on, and returns where it stops: at the
 * first one that is not common, that names one of the n bytes, or that may lead out of
 * them by a jump or a return.
 * `room` bytes, at least n, can be read: it stops INSN_ROOM before their end.
 */
#define INSN_ROOM 32
size_t insns_inside(const uint8_t *bytes, size_t n, size_t room, size_t at);

/* How an instruction makes the value of a general register. */
enum insn_source {
	INSN_KEEPS,  /* it does not write the register */
	INSN_COPIES, /* of one register, some of whose bits may change */
	INSN_LOADS,  /* from memory */
	INSN_NAMES,  /* the instruction has it: target */
	INSN_SUMS,   /* of registers, and what it loads, or a constant: scaled or not */
	INSN_MAKES,  /* by other means: calls, too */
};

struct insn_value {
	uint8_t source; /* enum insn_source */
	uint8_t loaded; /* bytes from memory; 0: none */
	uint16_t from;	/* registers that the value is of, a bit each */
	taddr target;
};

/*
 * By the rules of encoding only, as decode_quick(). What it cannot tell is INSN_KEEPS:
 * vector instructions. Returns 0 or STATUS_BADFMT.
 */
int insn_value(const uint8_t *bytes, size_t n, taddr addr, unsigned reg,
	       struct insn_value *out);

/* Whether control can continue at the byte after this instruction. Calls return. */
bool insn_falls_through(const struct insn *in);
static inline bool insn_brief_falls_through(const struct insn_brief *in)
{
	const uint32_t leaving = UINT32_C(1) << INSN_JMP |
				 UINT32_C(1) << INSN_JMP_INDIRECT |
				 UINT32_C(1) << INSN_RET | UINT32_C(1) << INSN_HLT;

	return in->kind == INSN_FAR ? in->is_far_call : !(leaving >> in->kind & 1);
}

struct scan_site {
	uint32_t offset; /* from the start of the scanned range */
	uint8_t len;
	bool is_exit;  /* a return, or a jump out of all ranges (if taken) */
	bool is_maybe; /* an indirect jump: an exit if its target is outside */
};

/*
 * Calls site() for each instruction in the n bytes of ranges[0], in address order.
 * ranges are all parts of the function: a jump out of them is an exit, one to the entry
 * of the function is not. Returns 0; the status of decode(), and in *bad the offset
 * where it failed, after site() for all instructions before it; or STATUS_INVAL if
 * nranges is 0 or n exceeds 32 bits. Exits are decoded by decode(), all others by
 * decode_brief().
 *
 * Bytes that the function's own code names, and that no direct branch of it leads to, may
 * be a constant or a table: data() is told of them, if there is one, and site() of no
 * instruction in there. Nor is it of one that begins inside of another.
 */
struct scan_request {
	const uint8_t *bytes;
	size_t n;
	const struct addr_range *ranges;
	size_t nranges;
	void (*site)(void *ctx, const struct scan_site *site);
	/* n bytes from the offset on; NULL: nobody wants to know */
	void (*data)(void *ctx, uint32_t offset, uint32_t n);
	void *ctx;
	bool exits_only; /* site() is told of exits alone, and of what may be one */
	bool is_quick; /* decode() confirms none: scan_is_exit() does for each later */
	size_t room;   /* bytes that can be read; faster if n + INSN_ROOM; 0: n */
};
int scan_function(const struct scan_request *req, uint32_t *bad);

/*
 * Whether there is an exit at the offset, or what may be one, that decode() confirms, if
 * an instruction begins there.
 */
bool scan_is_exit(const struct scan_request *req, uint32_t offset);

/*
 * Why neither a breakpoint nor a jump may be placed on this instruction, whether it is
 * emulated or moved: static text, "it is a software interrupt". NULL if they may.
 */
const char *insn_refusal(const struct insn *in);

#define RELOC_MAX (INSN_MAX + EMIT_MOV_RCX) /* bytes of the longest copy */

/*
 * Writes to out (cap >= RELOC_MAX bytes) a copy of the instruction that has the same
 * effect when it runs at address to, except that control continues after the copy; the
 * caller appends a jump back. Supports instructions that are position-independent or
 * have a rip-relative operand, those that always fault, ret, and syscall: its copy is
 * followed by a mov that sets rcx to the value it has after the original. (One
 * difference remains: the x87 instruction pointer, which fnstenv and fxsave store.)
 *
 * Returns the number of bytes, or a negative status and *reason (static text):
 * STATUS_RANGE if a displacement does not reach, STATUS_UNSUP for all forms that must
 * be emulated or refused.
 */
int reloc_copy(const struct insn *in, taddr to, uint8_t *out, size_t cap,
	       const char **reason);

#define EMIT_JMP_REL32 5
#define EMIT_JMP_ABS   14
#define EMIT_MOV_RCX   10

/* Writes a jmp rel32 at address from to address to; STATUS_RANGE if it does not reach. */
int emit_jmp_rel32(taddr from, taddr to, uint8_t out[EMIT_JMP_REL32]);
/*
 * jmp *0(%rip); .quad to: reaches any address, changes no register. Returns its length.
 */
size_t emit_jmp_abs(taddr to, uint8_t out[EMIT_JMP_ABS]);
/* movabs $value, %rcx: changes no flags. Returns its length. */
size_t emit_mov_rcx(uint64_t value, uint8_t out[EMIT_MOV_RCX]);

#endif
