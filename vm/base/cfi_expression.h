/* SPDX-License-Identifier: MIT */
/*
 * Frames that are found by a DWARF expression (row form CFI_ROW_EXPRESSION), in every
 * execution context. The bytes are those of a target's file: evaluation is bounded by
 * their number, since expressions with jumps are refused, and reads no memory but by the
 * walk's own function. (libunwind would follow jumps without an end, in the process that
 * must release all targets.)
 */
#ifndef VM_BASE_CFI_EXPRESSION_H
#define VM_BASE_CFI_EXPRESSION_H

#include "vm/base/walk.h"

/*
 * The CFA of the frame, whose row is one of the module's. False: an operation that is not
 * supported, a register that is not known, a word that cannot be read, or bytes that make
 * no sense.
 */
bool cfi_expression_cfa(const struct cfi_module *m, const struct cfi_row *row,
			const struct unwind_source *s, const struct walk_frame *f,
			uint64_t *cfa);

#endif
