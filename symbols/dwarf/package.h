/* SPDX-License-Identifier: MIT */
/*
 * Packages of split DWARF: PROGRAM.dwp has the contents of all .dwo files of a program,
 * and an index that says which part of each section is of which unit (DWARF 5, 7.3.5;
 * GNU's version for DWARF 4 differs in the numbers of sections).
 */
#ifndef SYMBOLS_DWARF_PACKAGE_H
#define SYMBOLS_DWARF_PACKAGE_H

#include "symbols/elf/elf.h"
#include "vm/base/host/strbuf.h"

struct package;

/*
 * Reads the sections of f and its index. What it takes is part of the budget of f, which
 * stays open until package_close(). BADFMT if the index is damaged, UNSUP if its version
 * is unknown.
 */
int package_open(const struct elf_file *f, struct package **out, struct err *e);
void package_close(struct package *p);
/* Whether it has the entries of the unit with this id (DW_AT_dwo_id). */
bool package_has(const struct package *p, uint64_t id);
/*
 * Makes *out, which is empty, an object file like the .dwo file of that unit, with those
 * of its strings that the unit uses. BADFMT.
 */
int package_image(const struct package *p, uint64_t id, struct strbuf *out,
		  struct err *e);

#endif
