/* SPDX-License-Identifier: MIT */
/*
 * Writes instructions of vm/isa.h to the image, and prints them for the code dump.
 */
#ifndef DLANG_GEN_CODE_H
#define DLANG_GEN_CODE_H

#include "dlang/gen/image.h"
#include "vm/isa.h"

struct code_insn {
	enum isa_op op;
	unsigned a, b, c;
	int32_t imm;
};

/* Appends an instruction; returns its index. */
uint32_t code_emit(struct image *img, struct code_insn i);
/* Sets the target of the jump at index to the next instruction that is emitted. */
void code_patch_jump(struct image *img, uint32_t index);
/* Appends one instruction as text: "ADD r0 r1 r2". */
void code_print(const struct image *img, uint32_t index, struct strbuf *out);

#endif
