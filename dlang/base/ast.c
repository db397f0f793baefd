/* SPDX-License-Identifier: MIT */
/*
 * Operators of the tree.
 */
#include "dlang/base/ast.h"

static const char *const texts[] = {
#define OP(name, text) text,
#include "dlang/base/op.def"
#undef OP
};

const char *ast_op_text(enum ast_op op)
{
	return texts[op];
}

enum ast_op ast_op_of_assign(enum ast_op op)
{
	switch (op) {
	case OP_ASSIGN_MUL:
		return OP_MUL;
	case OP_ASSIGN_DIV:
		return OP_DIV;
	case OP_ASSIGN_MOD:
		return OP_MOD;
	case OP_ASSIGN_ADD:
		return OP_ADD;
	case OP_ASSIGN_SUB:
		return OP_SUB;
	case OP_ASSIGN_SHL:
		return OP_SHL;
	case OP_ASSIGN_SHR:
		return OP_SHR;
	case OP_ASSIGN_BAND:
		return OP_BAND;
	case OP_ASSIGN_BXOR:
		return OP_BXOR;
	case OP_ASSIGN_BOR:
		return OP_BOR;
	default:
		return OP_NONE;
	}
}
