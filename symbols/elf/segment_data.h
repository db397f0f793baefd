/* SPDX-License-Identifier: MIT */
/*
 * Data in executable segments. A linker may put tables of symbols, strings and constants
 * into one segment with the code; in a large library they are half of it. Only the table
 * of sections tells them from code: a file without it has none.
 */
#ifndef SYMBOLS_ELF_SEGMENT_DATA_H
#define SYMBOLS_ELF_SEGMENT_DATA_H

#include "symbols/elf/elf.h"

#define SEGMENT_DATA_MAX 8
#define SEGMENT_DATA_MIN 4096 /* bytes; what is smaller stays with the code */

/*
 * Where executable segments have nothing but sections that are not executable, and
 * padding between these: ascending, apart. More than fit are left out.
 */
size_t segment_data_read(const struct elf_file *f,
			 struct elf_range out[SEGMENT_DATA_MAX]);

#endif
