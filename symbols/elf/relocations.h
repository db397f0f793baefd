/* SPDX-License-Identifier: MIT */
/*
 * Where the loader stores something, found by the relocation that requests it.
 */
#ifndef SYMBOLS_ELF_RELOCATIONS_H
#define SYMBOLS_ELF_RELOCATIONS_H

#include "symbols/elf/elf.h"

/*
 * Where the loader stores the address that the resolver at value (STT_GNU_IFUNC)
 * returns; false if no relocation of the file asks for it.
 */
bool elf_ifunc_slot(const struct elf_file *f, uint64_t value, uint64_t *slot);
/*
 * Where the file has room for a copy of another object's variable (copy relocation);
 * false if it has none of that name.
 */
bool elf_copy_slot(const struct elf_file *f, const char *name, uint64_t *value);

#endif
