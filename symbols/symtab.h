/* SPDX-License-Identifier: MIT */
/*
 * Candidates from several tables of a file -> the one sorted table of functions of a
 * module, with its parts and indexes.
 */
#ifndef SYMBOLS_SYMTAB_H
#define SYMBOLS_SYMTAB_H

#include "symbols/dwarf/eh_frame.h"
#include "symbols/elf/candidates.h"
#include "symbols/internal.h"

/*
 * Adds each FDE that begins in no candidate as sub_HEX, its name in the arena; returns
 * how many. Sorts both lists.
 */
size_t symtab_add_ranges(struct candidates *c, struct fdes *ranges,
			 const struct elf_file *f, const struct code_areas *areas,
			 struct arena *names);

/*
 * Sets symbols, parts and indexes of a module that has none. Reorders the candidates. f
 * and areas are of the file that has the code. Released by symtab_release().
 */
void symtab_build(struct module *m, struct candidates *c, const struct elf_file *f,
		  const struct code_areas *areas);
void symtab_release(struct module *m);

/* The entries of by_name with this name: the first one, and their number. */
const struct name_entry *symtab_find(const struct module *m, const char *name,
				     size_t *count);

#endif
