/* SPDX-License-Identifier: MIT */
/*
 * Go's own table of functions (.gopclntab). The runtime needs it, so strip(1) and
 * `go build -ldflags -s` keep it.
 */
#ifndef SYMBOLS_ELF_GOTABLE_H
#define SYMBOLS_ELF_GOTABLE_H

#include "symbols/elf/candidates.h"

/*
 * Adds the functions of the table to c and returns how many. Their names point into
 * *bytes, which the caller frees after them; NULL if none was added.
 */
size_t gotable_add(const struct elf_file *f, const struct code_areas *areas,
		   struct candidates *c, uint8_t **bytes);

#endif
