/* SPDX-License-Identifier: MIT */
/*
 * The frame of a function at one address, by the CFI rows of its module. Locations of
 * variables are often relative to a register that the function sets after its first
 * instructions and restores before its last ones: there they go by the CFA instead.
 */
#ifndef SYMBOLS_TYPES_FRAMES_H
#define SYMBOLS_TYPES_FRAMES_H

#include "symbols/dwarf/dwarf.h"
#include "symbols/types.h"

/* Sets the CFA at spot->value and what has become of the registers there. */
void frames_find(const struct target_spot *spot, struct dwarf_frame *out);
/* Sets the CFA at another address of the module, after a call. */
void frames_find_caller(const struct target_spot *spot, uint64_t pc,
			struct dwarf_frame *out);

#endif
