/* SPDX-License-Identifier: MIT */
/*
 * Where a probe that a program was compiled with (USDT) finds an argument at one of its
 * sites: an operand of the assembler, as the compiler left it in the site's note. The
 * front reads it from the note; the keeper and resident code evaluate it.
 */
#ifndef VM_BASE_PROBE_OPERAND_H
#define VM_BASE_PROBE_OPERAND_H

#include "vm/base/regs.h"

enum probe_operand_kind {
	PROBE_OPERAND_NONE,	/* there is no such argument, or it is not understood */
	PROBE_OPERAND_CONSTANT, /* disp */
	PROBE_OPERAND_REGISTER, /* base */
	PROBE_OPERAND_MEMORY,	/* at disp + base + index * scale */
	PROBE_OPERAND_VECTOR,	/* the low bytes of vector register base */
	PROBE_OPERAND_KINDS,
};

#define PROBE_OPERAND_NO_REG 255

/* Words of 4 bytes: tables of them follow text (struct vm_table). */
struct probe_operand {
	uint32_t disp[2];    /* low and high half */
	uint8_t kind;	     /* enum probe_operand_kind */
	uint8_t base, index; /* registers by their encoded numbers, or NO_REG */
	uint8_t scale;	     /* 1, 2, 4, 8 */
	uint8_t size;	     /* 1, 2, 4, 8 bytes */
	uint8_t shift;	     /* bits of the register below the value: 8 of %ah */
	uint8_t is_signed;
	uint8_t is_thread_local; /* disp counts from the base of the thread's storage */
};

#define PROBE_OPERANDS_MAX 10 /* arg0 to arg9 */

/* Of all arguments at the sites of one probe that have them there. */
struct probe_operands {
	uint32_t probe; /* its id */
	struct probe_operand arg[PROBE_OPERANDS_MAX];
};

static inline void probe_operand_set_disp(struct probe_operand *o, uint64_t disp)
{
	o->disp[0] = (uint32_t)disp;
	o->disp[1] = (uint32_t)(disp >> 32);
}

static inline uint64_t probe_operand_disp(const struct probe_operand *o)
{
	return (uint64_t)o->disp[1] << 32 | o->disp[0];
}

/* Whether all members are in range: then the functions below are defined for it. */
static inline bool probe_operand_is_valid(const struct probe_operand *o)
{
	return o->kind < PROBE_OPERAND_KINDS && o->shift <= 8 &&
	       (o->size == 1 || o->size == 2 || o->size == 4 || o->size == 8 ||
		o->kind == PROBE_OPERAND_NONE);
}

/* The size low bytes of a word as a value of 64 bits. */
static inline uint64_t probe_operand_extend(const struct probe_operand *o,
					    uint64_t word)
{
	unsigned unused = 64 - 8u * o->size;
	uint64_t value = word << unused >> unused;
	uint64_t sign = UINT64_C(1) << (8u * o->size - 1);

	return o->is_signed ? (value ^ sign) - sign : value;
}

/* Register i, where the stack pointer is sp; 0 of none. */
static inline uint64_t probe_operand_register(const struct regs *r, uint64_t sp,
					      uint32_t i)
{
	return i == REGS_ENCODED_SP ? sp : regs_encoded(r, i);
}

/* The value of a CONSTANT or a REGISTER. */
static inline uint64_t probe_operand_value(const struct probe_operand *o,
					   const struct regs *r, uint64_t sp)
{
	uint64_t word = o->kind != PROBE_OPERAND_REGISTER
				? probe_operand_disp(o)
				: probe_operand_register(r, sp, o->base) >> o->shift;

	return probe_operand_extend(o, word);
}

/* Where MEMORY is, without the base of the thread's storage. */
static inline uint64_t probe_operand_address(const struct probe_operand *o,
					     const struct regs *r, uint64_t sp)
{
	return probe_operand_disp(o) + probe_operand_register(r, sp, o->base) +
	       probe_operand_register(r, sp, o->index) * o->scale;
}

#endif
