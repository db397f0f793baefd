/* SPDX-License-Identifier: MIT */
/*
 * CFI rows: the call frame information of a file in the form that stack walks read.
 */
#ifndef SYMBOLS_DWARF_CFI_ROWS_H
#define SYMBOLS_DWARF_CFI_ROWS_H

#include "symbols/elf/elf.h"
#include "symbols/symbols.h"

/*
 * Sets *out to the rows of the size bytes of code at base, ascending by pc; none if the
 * file has no unwind tables. base is an address in the file's own numbering; pcs are
 * offsets from it, of at most 4 GiB. The caller releases *out with vec_release().
 */
void cfi_rows_read(const struct elf_file *f, uint64_t base, uint64_t size,
		   struct module_cfi_rows *out);

#endif
