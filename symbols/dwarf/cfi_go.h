/* SPDX-License-Identifier: MIT */
/*
 * Rows of Go's code. Its .debug_frame says where the CFA is, but nothing of the frame
 * pointer, nor that a function of the runtime continues on another stack. Go's table of
 * functions and its convention for frames have that:
 *
 *	sub $N, %rsp		the CFA is rsp + N + 8 from here on
 *	mov %rbp, N-8(%rsp)	fp is saved at CFA - 16
 *	lea N-8(%rsp), %rbp	and is changed only after that
 */
#ifndef SYMBOLS_DWARF_CFI_GO_H
#define SYMBOLS_DWARF_CFI_GO_H

#include "symbols/elf/gotable.h"
#include "vm/base/cfi.h"

enum cfi_go_frame {
	CFI_GO_NOT, /* it is no code of Go */
	CFI_GO_COMPILED,
	CFI_GO_ASSEMBLY,
	CFI_GO_SIGNAL_RETURN,
	/*
	 * No row is right: it ends a stack or continues on another one, or its version of
	 * Go is not understood. The frame pointer serves, as far as it can.
	 */
	CFI_GO_UNKNOWN,
};

/* What the frame of the function that begins at the address is. */
enum cfi_go_frame cfi_go_frame(const struct elf_file *f, const struct go_code *go,
			       uint64_t start);
/*
 * Sets where fp is in a row of such a frame. Returns for how many bytes of code fp still
 * has the caller's value before that, which can be so only if it is the first row of the
 * function that has a frame.
 */
uint64_t cfi_go_set_fp(enum cfi_go_frame frame, bool is_first, struct cfi_row *row);

#endif
