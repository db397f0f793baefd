/* SPDX-License-Identifier: MIT */
#include "dlang/check/fold.h"

static uint64_t divide(enum ast_op op, uint64_t a, uint64_t b, bool is_signed)
{
	if (!is_signed)
		return op == AST_OP_DIV ? a / b : a % b;
	/* INT64_MIN / -1 wraps, as in the virtual machine. */
	if (b == UINT64_MAX)
		return op == AST_OP_DIV ? 0 - a : 0;
	if (op == AST_OP_DIV)
		return (uint64_t)((int64_t)a / (int64_t)b);
	return (uint64_t)((int64_t)a % (int64_t)b);
}

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t shift_right(uint64_t v, unsigned n, bool is_signed)
{
	uint64_t sign = is_signed && (int64_t)v < 0 && n > 0 ? ~(UINT64_MAX >> n) : 0;

	return v >> n | sign;
}

uint64_t fold_binary(enum ast_op op, uint64_t a, uint64_t b, const struct type *type)
{
	bool is_signed = type_is_signed(type);

	switch (op) {
	case AST_OP_MUL:
		return a * b;
	case AST_OP_DIV:
	case AST_OP_MOD:
		return divide(op, a, b, is_signed);
	case AST_OP_ADD:
		return a + b;
	case AST_OP_SUB:
		return a - b;
	case AST_OP_SHL:
		return a << (b & 63);
	case AST_OP_SHR:
		return shift_right(a, b & 63, is_signed);
	case AST_OP_LT:
		return is_less(a, b, is_signed);
	case AST_OP_LE:
		return !is_less(b, a, is_signed);
	case AST_OP_GT:
		return is_less(b, a, is_signed);
	case AST_OP_GE:
		return !is_less(a, b, is_signed);
	case AST_OP_EQ:
		return a == b;
	case AST_OP_NE:
		return a != b;
	case AST_OP_BAND:
		return a & b;
	case AST_OP_BXOR:
		return a ^ b;
	case AST_OP_BOR:
		return a | b;
	case AST_OP_LAND:
		return a && b;
	case AST_OP_LXOR:
		return !a != !b;
	default:
		return a || b; /* AST_OP_LOR */
	}
}

uint64_t fold_unary(enum ast_op op, uint64_t v, const struct type *type)
{
	switch (op) {
	case AST_OP_NOT:
		return !v;
	case AST_OP_BNOT:
		return ~v;
	case AST_OP_NEG:
		return type_is_signed(type) ? 0 - v : fold_cast(0 - v, type);
	default:
		return v; /* AST_OP_PLUS */
	}
}

uint64_t fold_cast(uint64_t v, const struct type *to)
{
	uint32_t size = type_resolve(to)->size;
	unsigned bits = size * 8;

	if (!type_is_int(to) || size >= 8)
		return v;
	v &= (UINT64_C(1) << bits) - 1;
	if (type_is_signed(to) && v >> (bits - 1))
		v |= UINT64_MAX << bits;
	return v;
}
