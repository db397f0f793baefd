/* SPDX-License-Identifier: MIT */
/*
 * The fields of one x86-64 instruction, by the rules of encoding only (Intel SDM vol.
 * 2, chapter 2 and appendix A):
 *
 *	prefixes  opcode  [ModRM [SIB] [disp]]  [imm]
 *
 * The rules are regular, so they also hold for instructions that are newer than the
 * disassembler library. They give the place of each field, not whether a processor has
 * the instruction; decode() asks the library for that.
 */
#ifndef DISASM_ENCODING_H
#define DISASM_ENCODING_H

#include "vm/base/base.h"

enum encoding_map {
	ENCODING_ONE_BYTE,
	ENCODING_0F,
	ENCODING_0F38,
	ENCODING_0F3A,
	ENCODING_VECTOR, /* VEX or EVEX; no control transfers */
	ENCODING_XOP,	 /* AMD XOP; no control transfers */
};

#define ENCODING_REX_W 8
#define ENCODING_REX_X 2
#define ENCODING_REX_B 1

struct encoding {
	uint8_t len;
	enum encoding_map map;
	uint8_t opcode;	 /* the last opcode byte */
	bool opsize16;	 /* prefix 66 */
	bool addr32;	 /* prefix 67 */
	bool lock;	 /* prefix F0 */
	uint8_t repeat;	 /* the last of F2 and F3, or 0 */
	uint8_t segment; /* 'f', 'g', or 0: the other four have no effect */
	uint8_t rex;	 /* 0 if absent or cancelled by a later prefix */
	bool has_modrm;
	bool is_control;    /* mov to or from cr and dr: ModRM never means memory */
	uint8_t modrm, sib; /* valid if has_modrm, encoding_has_sib() */
	uint8_t disp_offset, disp_size; /* size 0: none; moffs is an immediate */
	uint8_t imm_offset, imm_size;	/* immediates, relative targets and moffs */
};

static inline uint8_t encoding_mod(const struct encoding *e)
{
	return e->modrm >> 6;
}

/* The middle field of ModRM: a register, or three more bits of the opcode. */
static inline uint8_t encoding_reg(const struct encoding *e)
{
	return (e->modrm >> 3) & 7;
}

static inline uint8_t encoding_rm(const struct encoding *e)
{
	return e->modrm & 7;
}

static inline bool encoding_has_mem(const struct encoding *e)
{
	return e->has_modrm && !e->is_control && encoding_mod(e) != 3;
}

static inline bool encoding_has_sib(const struct encoding *e)
{
	return encoding_has_mem(e) && encoding_rm(e) == 4;
}

static inline bool encoding_is_rip_relative(const struct encoding *e)
{
	return encoding_has_mem(e) && encoding_mod(e) == 0 && encoding_rm(e) == 5;
}

/*
 * Reads the first instruction of n bytes. Returns 0, or STATUS_BADFMT if no instruction
 * begins so, or it is longer than n or 15 bytes.
 */
int encoding_read(const uint8_t *bytes, size_t n, struct encoding *out);

#endif
