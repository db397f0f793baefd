/* SPDX-License-Identifier: MIT */
/*
 * Units of time as option values and names of tick probes write them.
 */
#ifndef TRACER_BASE_RATE_H
#define TRACER_BASE_RATE_H

#include "vm/base/base.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

/* Nanoseconds of "ns", "usec", "h" and so on, in any case; 0: no such unit. */
uint64_t rate_unit(const char *unit);

#endif
