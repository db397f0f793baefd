/* SPDX-License-Identifier: MIT */
/*
 * The separate file that holds the symbol table of a stripped one.
 */
#ifndef SYMBOLS_ELF_DEBUGFILE_H
#define SYMBOLS_ELF_DEBUGFILE_H

#include "symbols/elf/elf.h"

/*
 * Finds and opens the debug file of f, which is path in the process of tid:
 * by build-id in /usr/lib/debug/.build-id, of this machine and of the
 * process's root; then by debuglink beside the file, in .debug and in
 * /usr/lib/debug. It is the right one when the build-ids or, without them,
 * the checksum agree. On true *out is open and *found is its path, to free().
 */
bool debugfile_open(const struct elf_file *f, int tid, const char *path,
		    struct elf_file *out, char **found);

/*
 * Opens the file that .gnu_debugaltlink of f names: dwz(1) moves debugging entries that
 * several files share to it. 0, and *has_shared false, if there is no such section;
 * NOENT when the file is missing or has another build-id. *has_shared: *out is open,
 * also when an error is returned.
 */
int debugfile_open_shared(const struct elf_file *f, int tid, struct elf_file *out,
			  bool *has_shared, struct err *e);

#endif
