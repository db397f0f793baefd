/* SPDX-License-Identifier: MIT */
/*
 * The functions that the tables of one file name, collected before a module gets them.
 */
#ifndef SYMBOLS_ELF_CANDIDATES_H
#define SYMBOLS_ELF_CANDIDATES_H

#include "symbols/elf/elf.h"
#include "symbols/symbols.h"

/* The addresses code may be at, sorted, apart. */
struct code_areas {
	struct elf_range *data; /* vec */
	size_t len, cap;
};

/* The executable segments of the file, as far as it has bytes for them. */
void code_areas_read(const struct elf_file *f, struct code_areas *out);

/* Whether all of the range is in one of them. */
bool code_areas_hold(const struct code_areas *areas, uint64_t value, uint64_t size);

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
size_t candidates_add_table(struct candidates *c, struct elf_symbols *table,
			    const struct elf_file *f, const struct code_areas *areas);
/* Sorts by address, rank and name, and removes duplicates (two tables may agree). */
void candidates_sort(struct candidates *c);

/* The rank (struct symbol) of functions that no table names; all others are below. */
#define CANDIDATE_RANK_UNNAMED 96

#endif
