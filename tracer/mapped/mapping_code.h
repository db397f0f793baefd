/* SPDX-License-Identifier: MIT */
/*
 * Where the functions of a C library make the system calls that map code, and where it
 * ends a process.
 */
#ifndef TRACER_MAPPED_MAPPING_CODE_H
#define TRACER_MAPPED_MAPPING_CODE_H

#include "tracer/keeper/keeper.h"

struct target;

/* The instruction behind a system call. */
struct mapping_place {
	taddr at;
	enum keeper_hold hold;
};

#define MAPPING_PLACES_MAX 16

/* Those of the target's C library, or of itself: returns how many. */
size_t mapping_code_find(const struct target *target,
			 struct mapping_place places[MAPPING_PLACES_MAX]);

/*
 * The same in n bytes of code at an address: finds mov $NUMBER, %eax directly before the
 * system call. Adds to the *found places that there are.
 */
void mapping_code_scan(const uint8_t *code, size_t n, taddr at,
		       struct mapping_place places[MAPPING_PLACES_MAX], size_t *found);

#endif
