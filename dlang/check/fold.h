/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of constants, in 64 bits: results are not cut to their type, so
 * that (1 << 63) - 1 is what it says.
 */
#ifndef DLANG_CHECK_FOLD_H
#define DLANG_CHECK_FOLD_H

#include "dlang/base/ast.h"
#include "dlang/type.h"

/*
 * type is that of the operation (of << and >>: of the left operand). The divisor
 * of / and % is not 0.
 */
uint64_t fold_binary(enum ast_op op, uint64_t a, uint64_t b, const struct type *type);
uint64_t fold_unary(enum ast_op op, uint64_t v, const struct type *type);
/* v as a value of the type: its low bytes, extended. */
uint64_t fold_cast(uint64_t v, const struct type *to);

#endif
