/* SPDX-License-Identifier: MIT */
/*
 * Encoding of the machine's instructions; the table is ops.def.
 */
#ifndef VM_ISA_H
#define VM_ISA_H

#include "vm/base/base.h"

#define ISA_REGS   32	/* virtual registers */
#define ISA_SIGNED 0x80 /* in the access field of LD and ULD */
#define ISA_TUPLES 4	/* nesting of tuples under construction */

enum isa_op {
#define OP(name, format, effect, text) OP_##name,
#include "vm/ops.def"
#undef OP
	OP_COUNT
};

typedef uint64_t insn_t; /* one instruction of the machine */

static inline insn_t isa_encode(enum isa_op op, unsigned a, unsigned b, unsigned c,
				int32_t imm)
{
	return (uint64_t)op | (uint64_t)(a & 0xff) << 8 | (uint64_t)(b & 0xff) << 16 |
	       (uint64_t)(c & 0xff) << 24 | (uint64_t)(uint32_t)imm << 32;
}

static inline unsigned isa_op(insn_t i)
{
	return i & 0xff;
}

static inline unsigned isa_a(insn_t i)
{
	return i >> 8 & 0xff;
}

static inline unsigned isa_b(insn_t i)
{
	return i >> 16 & 0xff;
}

static inline unsigned isa_c(insn_t i)
{
	return i >> 24 & 0xff;
}

static inline int32_t isa_imm(insn_t i)
{
	return (int32_t)(i >> 32);
}

/*
 * Tracer memory, as D pointers see it: addresses that no user process can
 * have, so a target address taken for one of ours faults instead of reading.
 */
#define VM_ADDR_IMAGE	UINT64_C(0xffffd10000000000) /* strings of the image */
#define VM_ADDR_SCRATCH UINT64_C(0xffffd20000000000) /* the firing's scratch memory */
#define VM_ADDR_NAMES	UINT64_C(0xffffd30000000000) /* probe names */
#define VM_ADDR_SPAN	UINT64_C(0x0000010000000000)

/*
 * D variables of struct and array type, wherever the state block is mapped: the number
 * of the variable, or of the first cell of a self-> variable, then the offset in it.
 */
#define VM_ADDR_GLOBALS	    UINT64_C(0xffffd40000000000)
#define VM_ADDR_CELLS	    UINT64_C(0xfff8000000000000)
#define VM_ADDR_CELLS_SPAN  UINT64_C(0x0004000000000000)
#define VM_ADDR_OFFSET_BITS 21

/* What record_data() gives: of no use but to be recorded. */
#define VM_ADDR_JOURNAL UINT64_C(0xffffd50000000000)

/* Variables that can have an address. */
#define VM_ADDR_GLOBALS_MAX (VM_ADDR_SPAN >> VM_ADDR_OFFSET_BITS)

#endif
