/* SPDX-License-Identifier: MIT */
/*
 * Where stacks begin in a C library that has no unwind tables (musl): the code that
 * calls main() and the first functions of threads.
 */
#ifndef SYMBOLS_ELF_STARTUP_H
#define SYMBOLS_ELF_STARTUP_H

#include "symbols/elf/elf.h"

#define STARTUP_MAX 16

/* The ranges of that code, in no order and perhaps overlapping; returns how many. */
size_t startup_find(const struct elf_file *f, struct elf_range out[STARTUP_MAX]);

#endif
