/* SPDX-License-Identifier: MIT */
/*
 * Numbers handed out in runs of consecutive ones, and taken back: indices of tables whose
 * elements are used again.
 */
#ifndef TRACER_KEEPER_SPACE_RUNS_H
#define TRACER_KEEPER_SPACE_RUNS_H

#include "vm/base/base.h"

#define RUNS_NONE    UINT32_MAX
#define RUNS_CLASSES 32

/* With max set and the rest zero: all numbers below max are free. */
struct runs {
	uint32_t max;
	uint32_t end; /* no number from here on was ever handed out */
	struct {
		uint32_t *data; /* first numbers of runs of 2 ^ class */
		size_t len, cap;
	} free[RUNS_CLASSES];
};

/* The first of n consecutive numbers (n is not 0), or RUNS_NONE. */
uint32_t runs_take(struct runs *r, uint32_t n);
/* Takes back what runs_take() gave for this n. */
void runs_give(struct runs *r, uint32_t first, uint32_t n);
void runs_release(struct runs *r);

#endif
