/* SPDX-License-Identifier: MIT */
/*
 * Names of the kernel's functions, from /proc/kallsyms, which root alone reads in full
 * (kernel.kptr_restrict).
 */
#ifndef TRACER_OUTPUT_KERNEL_NAMES_H
#define TRACER_OUTPUT_KERNEL_NAMES_H

#include "vm/base/base.h"

struct kernel_names;

/* Reads the names; some milliseconds. Never NULL: without permission it knows none. */
struct kernel_names *kernel_names_new(void);
void kernel_names_free(struct kernel_names *k);

struct kernel_name {
	const char *module;   /* "vmlinux", or that of a module: "ext4" */
	const char *function; /* both are valid until kernel_names_free() */
	uint64_t offset;
};
/* False: no name is known. */
bool kernel_names_find(const struct kernel_names *k, uint64_t address,
		       struct kernel_name *out);

#endif
