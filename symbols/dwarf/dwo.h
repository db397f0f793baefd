/* SPDX-License-Identifier: MIT */
/*
 * The sections of a .dwo file as libdw reads them.
 */
#ifndef SYMBOLS_DWARF_DWO_H
#define SYMBOLS_DWARF_DWO_H

#include "symbols/elf/elf.h"
#include "vm/base/host/strbuf.h"

/*
 * Makes *out, which is empty, an object file of the debug sections of f: expanded, and
 * those of one name as one, for each type unit is in a section of its own. The caller has
 * checked the sections (dwarf_check_sections()). BADFMT.
 */
int dwo_image(const struct elf_file *f, struct strbuf *out, struct err *e);

#endif
