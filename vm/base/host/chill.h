/* SPDX-License-Identifier: MIT */
/*
 * Busy waiting within a budget: half of every second, as chill() promises.
 */
#ifndef VM_BASE_HOST_CHILL_H
#define VM_BASE_HOST_CHILL_H

#include "vm/base/base.h"
#include "vm/base/status.h"

/* A zeroed struct has its whole budget. */
struct chill {
	uint64_t since; /* begin of the present second, ns of CLOCK_MONOTONIC */
	uint64_t spent;
};

/* Returns after ns nanoseconds; at once with STATUS_LIMIT if that is too much. */
int chill_spin(struct chill *c, uint64_t ns);

#endif
