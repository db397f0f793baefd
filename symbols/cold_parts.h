/* SPDX-License-Identifier: MIT */
/*
 * Whose the code is that a compiler put elsewhere, where no name tells: the unlikely
 * part of a stripped function is a range of its own in .eh_frame, which begins with
 * a frame already built. Its function jumps into it, or it jumps back.
 */
#ifndef SYMBOLS_COLD_PARTS_H
#define SYMBOLS_COLD_PARTS_H

#include "symbols/elf/candidates.h"

/* Code of the function at owner that stands elsewhere. */
struct pending_part {
	uint64_t owner, owner_size;
	uint64_t value, size;
};

struct pending_parts {
	struct pending_part *data; /* vec */
	size_t len, cap;
};

/*
 * Moves the fragments among the sorted candidates whose function is found to the
 * parts; f and areas are of the file that has the code. Near jumps alone are looked
 * for, in bytes that are not decoded, so what most of them say counts, and a fragment
 * they differ about stays what it is. Returns whether any was moved.
 */
bool fragments_join(struct candidates *c, const struct elf_file *f,
		    const struct code_areas *areas, struct pending_parts *parts);

#endif
