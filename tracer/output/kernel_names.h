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
/* Knows none, or those of a file like /proc/kallsyms. */
struct kernel_names *kernel_names_none(void);
struct kernel_names *kernel_names_read(const char *path);
/* The address of the function; false: there is none. */
bool kernel_names_address(const struct kernel_names *k, const char *function,
			  uint64_t *address);
/*
 * The kernel lay shift bytes further on. Modules are where they want: unless shift is 0,
 * their functions are forgotten.
 */
void kernel_names_shift(struct kernel_names *k, uint64_t shift);
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
