/* SPDX-License-Identifier: MIT */
/*
 * Exception tables (language-specific data areas) of C++ and its kin.
 */
#ifndef SYMBOLS_DWARF_LSDA_H
#define SYMBOLS_DWARF_LSDA_H

#include "symbols/dwarf/encoded.h"

/*
 * Calls pad() with the address of each landing pad of the table at c; function
 * is where the code range begins. A damaged table is read as far as it
 * makes sense.
 */
void lsda_pads(struct encoded c, uint64_t function,
	       void (*pad)(void *ctx, uint64_t address), void *ctx);

#endif
