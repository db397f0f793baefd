/* SPDX-License-Identifier: MIT */
/*
 * .gnu_debugdata: a small ELF file, compressed by xz, that distributions leave in
 * stripped programs for the sake of backtraces. It holds the symbols that
 * .dynsym does not name.
 */
#ifndef SYMBOLS_ELF_MINIDEBUG_H
#define SYMBOLS_ELF_MINIDEBUG_H

#include "symbols/elf/elf.h"

/* Unpacks the one in f; false when there is none, or it is damaged. */
bool minidebug_open(const struct elf_file *f, struct elf_file *out);

#endif
