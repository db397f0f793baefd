/* SPDX-License-Identifier: MIT */
/*
 * From the functions that several tables of a file name to the one sorted
 * table of a module.
 */
#ifndef SYMBOLS_SYMTAB_H
#define SYMBOLS_SYMTAB_H

#include "symbols/dwarf.h"
#include "symbols/elf.h"
#include "symbols/own.h"

/* The addresses code may be at, sorted, apart. */
struct code_areas {
	struct elf_range {
		uint64_t lo, hi;
	} * data; /* vec */
	size_t len, cap;
};

/* The executable segments of the file, as far as it has bytes for them. */
void symtab_areas(const struct elf_file *f, struct code_areas *out);

/* Whether all of the range is in one of them. */
bool symtab_is_code(const struct code_areas *areas, uint64_t value, uint64_t size);

struct candidate {
	struct symbol symbol;
	bool is_local;
	uint32_t file; /* which source file a local one is from; 0 unknown */
};

struct candidates {
	struct candidate *data; /* vec */
	size_t len, cap;
};

/*
 * Adds the functions of a table. Names are not copied; versions are cut off
 * in the table. f is the file the table is in. Returns how many were added.
 */
size_t symtab_add_table(struct candidates *c, struct elf_symbols *table,
			const struct elf_file *f, const struct code_areas *areas);
/*
 * Adds the ranges that start in no candidate as sub_HEX, named in the arena.
 * Sorts both lists. Returns how many were added.
 */
size_t symtab_add_ranges(struct candidates *c, struct code_ranges *ranges,
			 const struct code_areas *areas, struct arena *names);

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
