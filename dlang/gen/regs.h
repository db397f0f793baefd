/* SPDX-License-Identifier: MIT */
/*
 * Registers are taken and given back like a stack: an expression's value is
 * always in the register that was the first free one when it began.
 */
#ifndef DLANG_GEN_REGS_H
#define DLANG_GEN_REGS_H

#include "vm/base/base.h"

struct regs {
	unsigned used;
	bool overflow; /* more were wanted than there are: D_NOREG */
};

unsigned regs_alloc(struct regs *r);
/* Gives back the n taken last. */
void regs_free(struct regs *r, unsigned n);

#endif
