/* SPDX-License-Identifier: MIT */
/*
 * form.def as data: what the fields of each instruction mean.
 */
#ifndef VM_FORM_H
#define VM_FORM_H

#include "vm/isa.h"

enum form {
#define FORM(name, a, b, c, imm) FORM_##name,
#include "vm/form.def"
#undef FORM
	FORM_COUNT
};

enum field_use {
	FIELD_ZERO,
	FIELD_DEF,
	FIELD_USE,
	FIELD_SIZE,
	FIELD_ACCESS,
	FIELD_KEEP,
	FIELD_FIRST,
	FIELD_ARGC,
	FIELD_NUMBER,
	FIELD_CONST,
	FIELD_STR,
	FIELD_JUMP,
	FIELD_BUILTIN,
	FIELD_VAR,
	FIELD_AGG,
	FIELD_ACTION,
	FIELD_SUBR,
};

struct form_fields {
	uint8_t a, b, c, imm; /* enum field_use */
};

/* op must be below OP_COUNT. */
const struct form_fields *form_of(enum isa_op op);

#endif
