/* SPDX-License-Identifier: MIT */
/*
 * CFI rows: the call frame information of a file in the form that stack walks read.
 */
#ifndef SYMBOLS_DWARF_CFI_ROWS_H
#define SYMBOLS_DWARF_CFI_ROWS_H

#include "symbols/elf/elf.h"
#include "symbols/symbols.h"

/*
 * Sets *out to the rows of the file, ascending by pc; none if it has no unwind tables.
 * Their pcs are offsets from base, an address in the file's own numbering; code below
 * it, or more than 4 GiB above, has no rows. The caller releases *out with
 * vec_release().
 */
void cfi_rows_read(const struct elf_file *f, uint64_t base,
		   struct module_cfi_rows *out);

#endif
