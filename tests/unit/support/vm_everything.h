/* SPDX-License-Identifier: MIT */
/*
 * An image that uses every instruction, every kind of variable, aggregation and
 * action: what the verifier's and the dump's tests work on.
 */
#ifndef TESTS_UNIT_SUPPORT_VM_EVERYTHING_H
#define TESTS_UNIT_SUPPORT_VM_EVERYTHING_H

#include "tests/unit/support/vm_image.h"
#include "vm/agg.h"

/* Numbers of what build_everything() makes. */
enum {
	EV_GLOBAL_INT,
	EV_GLOBAL_STR,
	EV_GLOBAL_BYTES,
	EV_THIS,
	EV_SELF,
	EV_ARRAY,
	EV_SELF_ARRAY,
	EV_SELF_STR,
	EV_SELF_BYTES,
};

#define EV_LQUANT  (UINT64_C(10) << 48 | UINT64_C(5) << 32 | (uint32_t)-20)
#define EV_LLQUANT (UINT64_C(20) << 48 | UINT64_C(3) << 32 | UINT64_C(1) << 16 | 10)

void build_everything_tables(struct builder *b);

/* The subroutines as vm/subr.def has them. */
extern const struct everything_subr {
	const char *name, *result, *proto;
	uint32_t least, most;
} everything_subrs[SUBR_COUNT];

/* The prototype from parameter number i on. */
const char *everything_proto(uint32_t subr, uint32_t i);

/* An int that does not make the subroutine fault. */
int everything_int(uint32_t subr);

void *build_everything(size_t *size);

#endif
