/* SPDX-License-Identifier: MIT */
/*
 * .gnu_debugdata: a small ELF file, compressed with xz, that some distributions put in
 * stripped programs for backtraces. Its .symtab has the functions that .dynsym lacks.
 */
#ifndef SYMBOLS_ELF_MINIDEBUG_H
#define SYMBOLS_ELF_MINIDEBUG_H

#include "symbols/elf/elf.h"

/*
 * Unpacks the one in f to memory and opens it as *out; false if there is none, or it is
 * damaged or expands to more than fits in the budget of f.
 */
bool minidebug_open(const struct elf_file *f, struct elf_file *out);

#endif
