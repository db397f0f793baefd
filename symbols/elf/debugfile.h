/* SPDX-License-Identifier: MIT */
/*
 * Separate debug files: the symbol table and debug data of a stripped file.
 */
#ifndef SYMBOLS_ELF_DEBUGFILE_H
#define SYMBOLS_ELF_DEBUGFILE_H

#include "symbols/elf/elf.h"

/*
 * Finds and opens the debug file of f, which the process of tid sees at path. Searches
 * by build-id in /usr/lib/debug/.build-id, in our root and in that of the process; then
 * by .gnu_debuglink in the directory of the file, in its .debug, and in /usr/lib/debug.
 * The file must have the same build-id or, if there is none, the checksum of the link.
 * If true, *out is open and *found is its path, to free(); else *found is NULL.
 */
bool debugfile_open(const struct elf_file *f, int tid, const char *path,
		    struct elf_file *out, char **found);

/*
 * Opens the file that .gnu_debugaltlink of f names: dwz(1) moves debug entries that
 * several files share to it. tid as above, or 0 for our own root. Returns 0 with
 * *has_shared false if there is no such section; NOENT if the file is missing or has
 * another build-id. If *has_shared is true, *out is open, even after an error.
 */
int debugfile_open_shared(const struct elf_file *f, int tid, struct elf_file *out,
			  bool *has_shared, struct err *e);

/* A file that a program names. */
struct split_name {
	int tid;	     /* of the process in whose root it is; 0: in our own */
	const char *program; /* path */
	const char *folder;  /* where it was compiled; NULL: not known */
	const char *name;
};

/*
 * Opens the .dwo file: beside the program, then in the folder. Its entries are not
 * compared with the program. The errors of file_open() and elf_open().
 */
int debugfile_open_split(const struct split_name *n, struct elf_file *out,
			 struct err *e);

#define DEBUGFILE_PACKAGES 7

/*
 * Opens PROGRAM.dwp where it may be: number 0 is beside the program; then beside the
 * debug file that has its skeletons (or NULL), where it is named after that, with .debug
 * or without; and last in /usr/lib/debug. The same errors; NOENT as well if there is no
 * place of this number.
 */
struct package_name {
	int tid; /* as above; files that are not there are looked for in our own root */
	const char *program, *debug;
};
int debugfile_open_package(const struct package_name *n, unsigned number,
			   struct elf_file *out, struct err *e);

#endif
