/* SPDX-License-Identifier: MIT */
/*
 * struct dwarf_file, for the files that use libdw.
 */
#ifndef SYMBOLS_DWARF_INTERNAL_H
#define SYMBOLS_DWARF_INTERNAL_H

#include "symbols/dwarf/dwarf.h"

#include <elfutils/libdw.h>

#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

struct dwarf_file {
	struct dwarf_part {
		int fd;
		Elf *elf;
		Dwarf *dwarf;
		struct section_table {
			struct section_bytes {
				const char *lo, *hi;
			} * data;
			size_t len, cap;
		} sections; /* that may contain names */
	} main, shared;
	struct {
		struct dwarf_part part; /* skeletons; sections of all .dwo files */
		struct strbuf image;	/* the file of part */
		struct {
			struct dwarf_unit_pair {
				Dwarf_Die skeleton; /* of main; it has the lines */
				Dwarf_Die unit;	    /* of a .dwo file: its entries */
			} * data;
			size_t len, cap;
		} pairs;
		struct map types;    /* signature of a type unit -> ref of its type */
		struct map by_dwarf; /* Dwarf * of a .dwo file -> 1 + index in pairs */
		size_t nmissing;     /* skeletons without entries */
		char why[512];	     /* about the first of them */
	} split;
	uint64_t kept; /* bytes, by budget_keep() */
	enum { LINES_UNKNOWN, LINES_FIT, LINES_REFUSED } lines; /* room for them */
	uint64_t index_max; /* bytes that an index of its entries may take */
};

/* The ref of an entry (0: none), and the entry that a ref names (false: none). */
uint64_t dwarf_ref_of(struct dwarf_file *d, Dwarf_Die *die);
bool dwarf_die_at(struct dwarf_file *d, uint64_t ref, Dwarf_Die *die);
/* Whether a unit of main has its entries in a .dwo file. */
bool dwarf_is_skeleton(uint8_t unit_type, Dwarf_Die *unit);
/* Its entries and its skeleton, if the unit is of a .dwo file; NULL: it is not. */
struct dwarf_unit_pair *dwarf_pair_of(struct dwarf_file *d, Dwarf_CU *cu);
void dwarf_part_close(struct dwarf_part *p);
void dwarf_split_close(struct dwarf_file *d);
/* Calls visit() for the units that have entries, in all files, until it returns false;
 * then returns false. */
bool dwarf_each_unit(struct dwarf_file *d, bool with_types,
		     bool (*visit)(void *ctx, Dwarf_Die *unit), void *ctx);
/* Goes to the next child; false: none, also in a damaged file that leads elsewhere. */
bool dwarf_next_sibling(Dwarf_Die *die);
enum dwarf_language dwarf_language_of(Dwarf_Die *unit);
/* The section .wanted or .zwanted, as libdw has expanded it, or NULL. */
const Elf_Data *dwarf_section(Elf *elf, const char *wanted);
/* Adds the sections of an open file that may contain names. */
void dwarf_find_sections(Elf *elf, struct section_table *out);
/* Takes room for all that libdw reads and expands of f. */
int dwarf_check_sections(const struct elf_file *f, struct err *e);
/* Whether text, a name from libdw, ends in its section: libdw does not check that. */
bool dwarf_is_name(const struct dwarf_file *d, const char *text);
/* Reads all attributes that struct entry has. */
void dwarf_read_entry(struct dwarf_file *d, Dwarf_Die *die, struct entry *out);

#endif
