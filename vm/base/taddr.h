/* SPDX-License-Identifier: MIT */
/*
 * An address in the traced process. A struct of one integer, so that it can
 * never be dereferenced or mixed with a host address by mistake.
 */
#ifndef VM_BASE_TADDR_H
#define VM_BASE_TADDR_H

#include "vm/base/base.h"

typedef struct {
	uint64_t v;
} taddr;

static inline taddr taddr_of(uint64_t v)
{
	return (taddr){v};
}

/* a + n, wrapping as the hardware does. */
static inline taddr taddr_add(taddr a, int64_t n)
{
	return (taddr){a.v + (uint64_t)n};
}

/* Whether lo <= a < hi. */
static inline bool taddr_in(taddr a, taddr lo, taddr hi)
{
	return a.v >= lo.v && a.v < hi.v;
}

/* The addresses from lo up to, but not including, hi. */
struct addr_range {
	taddr lo, hi;
};

static inline bool addr_range_holds(const struct addr_range *r, taddr a)
{
	return taddr_in(a, r->lo, r->hi);
}

#endif
