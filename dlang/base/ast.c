/* SPDX-License-Identifier: MIT */
/*
 * Operators of the tree.
 */
#include "dlang/base/ast.h"

static const char *const texts[] = {
#define AST_OP(name, text) text,
#include "dlang/base/op.def"
#undef AST_OP
};

const char *ast_op_text(enum ast_op op)
{
	return texts[op];
}

enum ast_op ast_op_of_assign(enum ast_op op)
{
	switch (op) {
	case AST_OP_ASSIGN_MUL:
		return AST_OP_MUL;
	case AST_OP_ASSIGN_DIV:
		return AST_OP_DIV;
	case AST_OP_ASSIGN_MOD:
		return AST_OP_MOD;
	case AST_OP_ASSIGN_ADD:
		return AST_OP_ADD;
	case AST_OP_ASSIGN_SUB:
		return AST_OP_SUB;
	case AST_OP_ASSIGN_SHL:
		return AST_OP_SHL;
	case AST_OP_ASSIGN_SHR:
		return AST_OP_SHR;
	case AST_OP_ASSIGN_BAND:
		return AST_OP_BAND;
	case AST_OP_ASSIGN_BXOR:
		return AST_OP_BXOR;
	case AST_OP_ASSIGN_BOR:
		return AST_OP_BOR;
	default:
		return AST_OP_NONE;
	}
}
