/* SPDX-License-Identifier: MIT */
/*
 * operand_format.def as data: what the fields of each instruction mean.
 */
#ifndef VM_OPERAND_FORMAT_H
#define VM_OPERAND_FORMAT_H

#include "vm/isa.h"

enum operand_format_id {
#define FORMAT(name, a, b, c, imm) FORMAT_##name,
#include "vm/operand_format.def"
#undef FORMAT
	FORMAT_COUNT
};

enum operand_use {
	OPERAND_ZERO,
	OPERAND_DEF,
	OPERAND_USE,
	OPERAND_SIZE,
	OPERAND_ACCESS,
	OPERAND_KEEP,
	OPERAND_FIRST,
	OPERAND_ARGC,
	OPERAND_NUMBER,
	OPERAND_CONST,
	OPERAND_STR,
	OPERAND_JUMP,
	OPERAND_BUILTIN,
	OPERAND_VAR,
	OPERAND_AGG,
	OPERAND_ACTION,
	OPERAND_SUBR,
};

struct operand_format {
	uint8_t a, b, c, imm; /* enum operand_use */
};

/* op must be below OP_COUNT. */
const struct operand_format *operand_format_of(enum isa_op op);

#endif
