/* SPDX-License-Identifier: MIT */
/*
 * The code at the outermost end of stacks in a C library without unwind tables (musl):
 * it calls main() and the start functions of threads.
 */
#ifndef SYMBOLS_ELF_STARTUP_H
#define SYMBOLS_ELF_STARTUP_H

#include "symbols/elf/elf.h"

#define STARTUP_MAX 16

/* Stores the ranges of that code, unsorted, perhaps overlapping; returns how many. */
size_t startup_find(const struct elf_file *f, struct elf_range out[STARTUP_MAX]);

#endif
