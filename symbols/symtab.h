/* SPDX-License-Identifier: MIT */
/*
 * From the functions that several tables of a file name to the one sorted
 * table of a module.
 */
#ifndef SYMBOLS_SYMTAB_H
#define SYMBOLS_SYMTAB_H

#include "symbols/dwarf/eh_frame.h"
#include "symbols/elf/candidates.h"
#include "symbols/internal.h"

/*
 * Adds the ranges that start in no candidate as sub_HEX, named in the arena.
 * Sorts both lists. Returns how many were added.
 */
size_t symtab_add_ranges(struct candidates *c, struct fdes *ranges,
			 const struct code_areas *areas, struct arena *names);

/*
 * Fills symbols, parts and the indexes of a module that has none. Reorders
 * the candidates. f and areas are of the file that has the code.
 */
void symtab_build(struct module *m, struct candidates *c, const struct elf_file *f,
		  const struct code_areas *areas);
void symtab_release(struct module *m);

/* The entries of own->by_name with the name: the first, and how many. */
const struct name_entry *symtab_find(const struct module *m, const char *name,
				     size_t *count);

#endif
