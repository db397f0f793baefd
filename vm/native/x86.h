/* SPDX-License-Identifier: MIT */
/*
 * Encodes the x86-64 instructions that routines are made of. Operands are 64 bits wide
 * unless the name ends in 32. Intel's manual, volume 2, has the encodings.
 */
#ifndef VM_NATIVE_X86_H
#define VM_NATIVE_X86_H

#include "vm/base/base.h"

enum x86_reg {
	X86_RAX,
	X86_RCX,
	X86_RDX,
	X86_RBX,
	X86_RSP,
	X86_RBP,
	X86_RSI,
	X86_RDI,
	X86_R8,
	X86_R9,
	X86_R10,
	X86_R11,
	X86_R12,
	X86_R13,
	X86_R14,
	X86_R15,
};

/* Opcodes of the form "op r/m64, r64". */
enum x86_alu {
	X86_ADD = 0x01,
	X86_OR = 0x09,
	X86_AND = 0x21,
	X86_SUB = 0x29,
	X86_XOR = 0x31,
	X86_CMP = 0x39,
	X86_TEST = 0x85,
};

/* The field of the opcode d3, "op r/m64, cl". */
enum x86_shift { X86_SHL = 4, X86_SHR = 5, X86_SAR = 7 };

/* The field of the opcode f7, "op r/m64"; divisions are of rdx:rax. */
enum x86_unary { X86_NOT = 2, X86_NEG = 3, X86_DIV = 6, X86_IDIV = 7 };

/* Condition codes of jcc and setcc; condition ^ 1 is the opposite. */
enum x86_condition {
	X86_BELOW = 2,
	X86_NOT_BELOW = 3,
	X86_EQUAL = 4,
	X86_NOT_EQUAL = 5,
	X86_BELOW_OR_EQUAL = 6,
	X86_ABOVE = 7,
	X86_NEGATIVE = 8,
	X86_LESS = 12,
	X86_LESS_OR_EQUAL = 14,
	X86_GREATER = 15,
};

#define X86_CODE_MAX 32768u /* bytes of one buffer */

/* Code under construction. What does not fit is not added, and `full` is set. */
struct x86_code {
	uint8_t bytes[X86_CODE_MAX];
	uint32_t n;
	bool full;
	uint32_t written; /* bit N: register N has been written, but by a call */
};

/* A word of memory. */
struct x86_mem {
	enum x86_reg base;
	int32_t at;
};

void x86_move(struct x86_code *c, enum x86_reg to, enum x86_reg from);
/* Does not change the flags. */
void x86_constant(struct x86_code *c, enum x86_reg to, uint64_t value);
void x86_load(struct x86_code *c, enum x86_reg to, struct x86_mem from);
void x86_load32(struct x86_code *c, enum x86_reg to, struct x86_mem from);
/* 1, 2, 4 or 8 bytes. */
void x86_load_part(struct x86_code *c, enum x86_reg to, struct x86_mem from,
		   unsigned size, bool is_signed);
void x86_store(struct x86_code *c, struct x86_mem to, enum x86_reg from);
void x86_store32(struct x86_code *c, struct x86_mem to, enum x86_reg from);
/* The value is sign-extended. */
void x86_store_constant(struct x86_code *c, struct x86_mem to, int32_t value);
void x86_store32_constant(struct x86_code *c, struct x86_mem to, int32_t value);
/* to = the address of the word with this index: base + at + index * scale. */
struct x86_index {
	enum x86_reg reg; /* not rsp */
	uint8_t log2_scale;
};
void x86_address(struct x86_code *c, enum x86_reg to, struct x86_mem base,
		 struct x86_index index);

void x86_alu(struct x86_code *c, enum x86_alu op, enum x86_reg to, enum x86_reg from);
/* The same, but TEST, with a word of memory as the second, or as the first operand. */
void x86_alu_from(struct x86_code *c, enum x86_alu op, enum x86_reg to,
		  struct x86_mem from);
void x86_alu_to(struct x86_code *c, enum x86_alu op, struct x86_mem to,
		enum x86_reg from);
/* to += from, as one step for all processors. */
void x86_add_locked(struct x86_code *c, struct x86_mem to, enum x86_reg from);
/* 32 bits: to = from * value, r >>= n, r &= value. */
void x86_multiply32(struct x86_code *c, enum x86_reg to, enum x86_reg from,
		    uint32_t value);
void x86_shift_right32(struct x86_code *c, enum x86_reg r, uint8_t n);
void x86_and32(struct x86_code *c, enum x86_reg r, uint32_t value);
void x86_compare32(struct x86_code *c, enum x86_reg r, uint32_t value);
/* to += value, and without the flags: to = from + value. */
void x86_add32(struct x86_code *c, enum x86_reg to, uint32_t value);
void x86_add_constant(struct x86_code *c, enum x86_reg to, enum x86_reg from,
		      int32_t value);
/* The number of the highest bit; of 0 there is none: equal, and to is not defined. */
void x86_highest_bit(struct x86_code *c, enum x86_reg to, enum x86_reg from);
void x86_move_if(struct x86_code *c, enum x86_condition condition, enum x86_reg to,
		 enum x86_reg from);
void x86_multiply(struct x86_code *c, enum x86_reg to, enum x86_reg from);
void x86_unary(struct x86_code *c, enum x86_unary op, enum x86_reg r);
/* r <<= n, r >>= n. */
void x86_shift_left(struct x86_code *c, enum x86_reg r, uint8_t n);
void x86_shift_right(struct x86_code *c, enum x86_reg r, uint8_t n);
void x86_shift_cl(struct x86_code *c, enum x86_shift op, enum x86_reg r);
/* rdx = sign of rax, in all bits. */
void x86_sign_rax(struct x86_code *c);
/* to = the low 1, 2, 4 or 8 bytes of from. */
void x86_narrow(struct x86_code *c, enum x86_reg to, enum x86_reg from, unsigned size,
		bool is_signed);
/* to = 1 if the flags meet the condition, else 0; rax to rdx only. They stay. */
void x86_set(struct x86_code *c, enum x86_condition condition, enum x86_reg to);

/* The number of the lowest bit; not of 0. */
void x86_lowest_bit(struct x86_code *c, enum x86_reg to, enum x86_reg from);

/* The cache line there will be written. There may be no memory: that is no fault. */
void x86_prefetch_write(struct x86_code *c, struct x86_mem at);

/* r = the number of the processor and, from bit 12 on, of its node. */
void x86_processor(struct x86_code *c, enum x86_reg r);
/* The limit of the segment that r names: that number, where it is kept there. */
void x86_segment_limit(struct x86_code *c, enum x86_reg r);
/* rax = the time-stamp counter; rdx changes. */
void x86_counter(struct x86_code *c);

/* ah = the flags but overflow, al = that one; and back. */
void x86_save_flags(struct x86_code *c);
void x86_restore_flags(struct x86_code *c);

void x86_push(struct x86_code *c, enum x86_reg r);
void x86_pop(struct x86_code *c, enum x86_reg r);
void x86_add_rsp(struct x86_code *c, int8_t n);
void x86_call(struct x86_code *c, struct x86_mem function);
void x86_ret(struct x86_code *c);
void x86_jump_to(struct x86_code *c, enum x86_reg r);
/* A jump to a place that is not known yet: give what it returns to x86_land(). */
uint32_t x86_jump(struct x86_code *c);
uint32_t x86_jump_if(struct x86_code *c, enum x86_condition condition);
/* A jump back to the code that began when c->n was `to`. */
void x86_jump_back(struct x86_code *c, uint32_t to);
/* The jump leads to the end of the code so far. */
void x86_land(struct x86_code *c, uint32_t jump);

#endif
