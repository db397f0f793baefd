/* SPDX-License-Identifier: MIT */
/*
 * Exception tables: the language-specific data areas (LSDA) of C++, Rust and others.
 */
#ifndef SYMBOLS_DWARF_LSDA_H
#define SYMBOLS_DWARF_LSDA_H

#include "symbols/dwarf/encoded.h"

/*
 * Calls pad() with the address of each landing pad of the table at c. function is the
 * beginning of the code that the table is for. A damaged table is read up to the first
 * invalid byte. Returns how many bytes were read.
 */
uint64_t lsda_pads(struct encoded c, uint64_t function,
		   void (*pad)(void *ctx, uint64_t address), void *ctx);

#endif
