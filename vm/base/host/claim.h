/* SPDX-License-Identifier: MIT */
/*
 * Numbers that a process claims of itself: counters in memory that it can write to. They
 * are compared with what is possible, and added so that no sum wraps around.
 */
#ifndef VM_BASE_HOST_CLAIM_H
#define VM_BASE_HOST_CLAIM_H

#include "vm/base/base.h"

/* No thread counts faster: each time takes some dependent loads and stores. */
#define CLAIM_PER_NS 4u

static inline uint64_t claim_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* How often one thread can have counted something in so many ns. */
static inline uint64_t claim_most(uint64_t ns)
{
	uint64_t most;

	return __builtin_mul_overflow(ns, CLAIM_PER_NS, &most) ? UINT64_MAX : most;
}

#endif
