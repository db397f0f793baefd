/* SPDX-License-Identifier: MIT */
/*
 * The private side of struct dwarf_file, for the files that see libdw.
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
		} sections; /* where names may be */
	} main, shared;
};

/* The number of an entry, and the entry of a number; 0 and false: there is none. */
uint64_t dwarf_ref_of(struct dwarf_file *d, Dwarf_Die *die);
bool dwarf_die_at(struct dwarf_file *d, uint64_t ref, Dwarf_Die *die);
/* What libdw takes for a name may run on past the end of its section. */
bool dwarf_is_name(const struct dwarf_file *d, const char *text);
/* All that the entry says. */
void dwarf_read_entry(struct dwarf_file *d, Dwarf_Die *die, struct entry *out);

#endif
