/* SPDX-License-Identifier: MIT */
/*
 * CFI rows: the call frame information of a file in the form that stack walks read.
 */
#ifndef SYMBOLS_DWARF_CFI_ROWS_H
#define SYMBOLS_DWARF_CFI_ROWS_H

#include "symbols/elf/elf.h"
#include "symbols/symbols.h"

/*
 * Fills *out (to release with vec_release()) with the rows of the file, ascending; it is
 * empty if the file has no unwind tables. Their pcs count from base, an address in the
 * file's numbering.
 */
void cfi_rows_read(const struct elf_file *f, uint64_t base,
		   struct module_cfi_rows *out);

#endif
