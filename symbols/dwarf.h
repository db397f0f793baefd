/* SPDX-License-Identifier: MIT */
/*
 * Function ranges from unwind data, the one table strip(1) leaves.
 */
#ifndef SYMBOLS_DWARF_H
#define SYMBOLS_DWARF_H

#include "symbols/elf.h"

struct code_range {
	uint64_t lo, hi;  /* lo < hi, addresses in the file's numbering */
	bool is_fragment; /* a frame is already built at its first instruction */
};

struct code_ranges {
	struct code_range *data; /* vec */
	size_t len, cap;
};

/*
 * Appends the range of every entry of .eh_frame, in file order, unchecked
 * against the segments; entries of signal trampolines are left out. An entry
 * that makes no sense is skipped, a file without .eh_frame adds nothing.
 */
void dwarf_code_ranges(const struct elf_file *f, struct code_ranges *out);

#endif
