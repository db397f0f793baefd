/* SPDX-License-Identifier: MIT */
/*
 * Cold parts without a name. A compiler puts the unlikely code of a function elsewhere;
 * in a stripped file it is a range of its own in .eh_frame that begins with a frame
 * already built: a fragment. Jumps between a function and a fragment show that they
 * belong together.
 */
#ifndef SYMBOLS_COLD_PARTS_H
#define SYMBOLS_COLD_PARTS_H

#include "symbols/elf/candidates.h"

/* Code of the function at owner, outside its main range. */
struct pending_part {
	uint64_t owner, owner_size;
	uint64_t value, size;
};

struct pending_parts {
	struct pending_part *data; /* vec */
	size_t len, cap;
};

/*
 * Moves the fragments among the sorted candidates whose function is found to the parts;
 * returns whether any was moved. f and areas are of the file that has the code. Near
 * jumps are searched in bytes, not decoded, so the majority of them decides; if they
 * disagree too much, the fragment remains one.
 */
bool fragments_join(struct candidates *c, const struct elf_file *f,
		    const struct code_areas *areas, struct pending_parts *parts);

#endif
