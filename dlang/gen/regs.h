/* SPDX-License-Identifier: MIT */
/*
 * Registers are allocated and freed like a stack. The value of an expression is in the
 * register that was the first free one at its beginning.
 */
#ifndef DLANG_GEN_REGS_H
#define DLANG_GEN_REGS_H

#include "vm/base/base.h"

struct regs {
	unsigned used;
	bool overflow; /* more were needed than there are: D_NOREG */
};

unsigned regs_alloc(struct regs *r);
/* Frees the last n allocated ones. */
void regs_free(struct regs *r, unsigned n);

#endif
