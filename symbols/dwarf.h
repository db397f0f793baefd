/* SPDX-License-Identifier: MIT */
/*
 * Code ranges from unwind data, the one table strip(1) leaves.
 */
#ifndef SYMBOLS_DWARF_H
#define SYMBOLS_DWARF_H

#include "symbols/elf.h"

struct code_range {
	uint64_t lo, hi;  /* lo < hi, addresses in the file's numbering */
	uint64_t lsda;	  /* its exception table, or 0 */
	bool is_fragment; /* a frame is already built at its first instruction */
	bool is_signal;	  /* returns from a signal handler: no function */
};

struct code_ranges {
	struct code_range *data; /* vec */
	size_t len, cap;
};

/*
 * Appends the range of every entry of .eh_frame, in file order, unchecked
 * against the segments. An entry that makes no sense is skipped, a file
 * without .eh_frame adds nothing.
 */
void dwarf_code_ranges(const struct elf_file *f, struct code_ranges *out);

#endif
