/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLS_ELF_REPEATED_H
#define SYMBOLS_ELF_REPEATED_H

#include "symbols/elf/elf.h"

/*
 * Takes the names off those symbols of the table that are in the other too: defined
 * there, with the same value, size, type, binding and name, with or without @VERSION.
 * Their names take no memory then. What is slow to find out of hostile tables stays.
 */
void elf_symbols_drop_repeated(struct elf_symbols *dynamic,
			       const struct elf_symbols *full);

#endif
