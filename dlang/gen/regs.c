/* SPDX-License-Identifier: MIT */
#include "dlang/gen/regs.h"

#include <assert.h>

#include "vm/isa.h"

unsigned regs_alloc(struct regs *r)
{
	unsigned n = r->used++;

	/* The code is discarded; the number only has to stay in range. */
	if (n >= ISA_REGS) {
		r->overflow = true;
		return ISA_REGS - 1;
	}
	return n;
}

void regs_free(struct regs *r, unsigned n)
{
	assert(r->used >= n);
	r->used -= n;
}
