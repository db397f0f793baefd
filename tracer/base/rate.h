/* SPDX-License-Identifier: MIT */
/*
 * Units of time in option values and in names of tick and profile probes.
 */
#ifndef TRACER_BASE_RATE_H
#define TRACER_BASE_RATE_H

#include "vm/base/base.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

/* How many nanoseconds a unit has: "ns", "usec", "h" ..., upper or lower case; 0:
 * unknown. */
uint64_t rate_unit(const char *unit);

#endif
