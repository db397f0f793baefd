/* SPDX-License-Identifier: MIT */
/*
 * The kinds of drops, and a number of each.
 */
#ifndef TRACER_RECORDS_DROP_COUNTS_H
#define TRACER_RECORDS_DROP_COUNTS_H

#include "vm/base/base.h"

enum drop {
#define DROP(counter, tag, what, after, is_by_cpu) DROP_##counter,
#include "tracer/records/drops.def"
#undef DROP
	DROP_COUNT
};

struct drop_counts {
	uint64_t n[DROP_COUNT];
};

#endif
