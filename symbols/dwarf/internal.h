/* SPDX-License-Identifier: MIT */
/*
 * struct dwarf_file, for the files that use libdw.
 */
#ifndef SYMBOLS_DWARF_INTERNAL_H
#define SYMBOLS_DWARF_INTERNAL_H

#include "symbols/dwarf/dwarf.h"

#include <elfutils/libdw.h>

struct dwarf_file {
	struct dwarf_part {
		int fd;
		Elf *elf;
		Dwarf *dwarf;
		struct {
			struct section_bytes {
				const char *lo, *hi;
			} * data;
			size_t len, cap;
		} sections; /* that may contain names */
	} main, shared;
	uint64_t kept; /* bytes, by budget_keep() */
	enum { LINES_UNKNOWN, LINES_FIT, LINES_REFUSED } lines; /* room for them */
	uint64_t index_max; /* bytes that an index of its entries may take */
};

/* The ref of an entry (0: none), and the entry that a ref names (false: none). */
uint64_t dwarf_ref_of(struct dwarf_file *d, Dwarf_Die *die);
bool dwarf_die_at(struct dwarf_file *d, uint64_t ref, Dwarf_Die *die);
/* Whether text, a name from libdw, ends in its section: libdw does not check that. */
bool dwarf_is_name(const struct dwarf_file *d, const char *text);
/* Reads all attributes that struct entry has. */
void dwarf_read_entry(struct dwarf_file *d, Dwarf_Die *die, struct entry *out);

#endif
