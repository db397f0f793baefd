/* SPDX-License-Identifier: MIT */
/*
 * Instructions as the generator writes them. The operators of the tree have
 * the names of vm/isa.h's opcodes, so here the same table gives INSN_ADD ...
 */
#ifndef DLANG_GEN_CODE_H
#define DLANG_GEN_CODE_H

#include "dlang/gen/image.h"

enum insn {
#define OP(name, form, text) INSN_##name,
#include "vm/ops.def"
#undef OP
	INSN_COUNT
};

#define INSN_SIGNED 0x80 /* in the access field of loads */

struct code_insn {
	enum insn op;
	unsigned a, b, c;
	int32_t imm;
};

/* Appends an instruction; returns its index. */
uint32_t code_emit(struct image *img, struct code_insn i);
/* Makes the jump at index lead to the next instruction that is emitted. */
void code_land(struct image *img, uint32_t index);
/* One instruction as text: "ADD r0 r1 r2". */
void code_print(const struct image *img, uint32_t index, struct strbuf *out);

#endif
