/* SPDX-License-Identifier: MIT */
/*
 * Go's own table of functions (.gopclntab), which strip(1) and `-ldflags -s` leave:
 * the runtime needs it.
 */
#ifndef SYMBOLS_ELF_GOTABLE_H
#define SYMBOLS_ELF_GOTABLE_H

#include "symbols/elf/candidates.h"

/*
 * Adds the functions of the table to c. Their names lie in *bytes, to free() after
 * them; NULL when there is no table. Returns how many were added.
 */
size_t gotable_add(const struct elf_file *f, const struct code_areas *areas,
		   struct candidates *c, uint8_t **bytes);

#endif
