/* SPDX-License-Identifier: MIT */
/* Names of the recorded kernel's functions. */
#ifndef TRACER_RECORDING_READ_KERNEL_SYMBOLS_H
#define TRACER_RECORDING_READ_KERNEL_SYMBOLS_H

#include "tracer/output/kernel_names.h"
#include "tracer/recording/read/decode.h"
#include "tracer/recording/read/header.h"

/* The kernel as the record of its mapping tells. */
struct recorded_kernel {
	char symbol[32];  /* "_text"; empty: there was no such record */
	uint64_t address; /* of the symbol */
	struct recorded_build_id id;
};

/* False: it is not the kernel's mapping. */
bool recorded_kernel_set(struct recorded_kernel *k, const struct recorded_map *map);
/*
 * From the kernel that runs, if it is the recorded one, or from the copy that perf keeps;
 * where it was loaded elsewhere, by the distance. Never NULL.
 */
struct kernel_names *recorded_kernel_names(const struct recorded_kernel *k,
					   const struct header *h);

#endif
