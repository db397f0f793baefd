/* SPDX-License-Identifier: MIT */
/*
 * Candidates: the functions that the tables of one file name, collected from all of
 * them before the module's one table is made (symbols/symtab.h).
 */
#ifndef SYMBOLS_ELF_CANDIDATES_H
#define SYMBOLS_ELF_CANDIDATES_H

#include "symbols/elf/elf.h"
#include "symbols/symbols.h"

/* The executable segments of a file: ascending, not adjacent, as far as bytes exist. */
struct code_areas {
	struct elf_range *data; /* vec */
	size_t len, cap;
};

/* Fills *out, which is empty; the caller releases it with vec_release(). */
void code_areas_read(const struct elf_file *f, struct code_areas *out);

/* Whether all size bytes at value are in one of them. */
bool code_areas_hold(const struct code_areas *areas, uint64_t value, uint64_t size);

struct candidate {
	struct symbol symbol;
	bool is_local;
	bool is_open; /* its size is not known: it is what its section has from there */
	uint32_t
		file; /* of a local one, its source file: index of STT_FILE; 0: unknown */
};

struct candidates {
	struct candidate *data; /* vec */
	size_t len, cap;
};

/*
 * Whether the budget of the file has room for one more. If not, what is there must do.
 */
bool candidates_have_room(const struct candidates *c, const struct elf_file *f);
/*
 * Adds the functions of a table and returns how many. Their names point into the table,
 * in which @VERSION is cut off. f is the file that has the table.
 */
size_t candidates_add_table(struct candidates *c, struct elf_symbols *table,
			    const struct elf_file *f, const struct code_areas *areas);
/* Sorts by address, rank and name, and removes duplicates (two tables may agree). */
void candidates_sort(struct candidates *c);

/* The rank (struct symbol) of functions that no table names: above all others. */
#define CANDIDATE_RANK_UNNAMED 96

#endif
