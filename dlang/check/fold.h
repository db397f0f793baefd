/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of constants, in 64 bits. Results are not truncated to their type, so that
 * (1 << 63) - 1 has the expected value.
 */
#ifndef DLANG_CHECK_FOLD_H
#define DLANG_CHECK_FOLD_H

#include "dlang/base/ast.h"
#include "dlang/type.h"

/*
 * type is that of the operation; for << and >> that of the left operand. Requires a
 * divisor other than 0.
 */
uint64_t fold_binary(enum ast_op op, uint64_t a, uint64_t b, const struct type *type);
uint64_t fold_unary(enum ast_op op, uint64_t v, const struct type *type);
/* v converted to the type: truncated, then extended. */
uint64_t fold_cast(uint64_t v, const struct type *to);

#endif
