/* SPDX-License-Identifier: MIT */
/*
 * The separate file that holds the symbol table of a stripped one.
 */
#ifndef SYMBOLS_DEBUGFILE_H
#define SYMBOLS_DEBUGFILE_H

#include "symbols/elf.h"

/*
 * Finds and opens the debug file of f, which is path in the process of tid:
 * by build-id in /usr/lib/debug/.build-id, of this machine and of the
 * process's root; then by debuglink beside the file, in .debug and in
 * /usr/lib/debug. It is the right one when the build-ids or, without them,
 * the checksum agree. On true *out is open and *found is its path, to free().
 */
bool debugfile_open(const struct elf_file *f, int tid, const char *path,
		    struct elf_file *out, char **found);

#endif
