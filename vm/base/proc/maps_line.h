/* SPDX-License-Identifier: MIT */
/*
 * The lines of /proc/PID/maps, and those of smaps that begin a mapping.
 *
 *	lo-hi perms offset major:minor inode   path
 *
 * The kernel writes a newline in a path as \012, and nothing else so: such four bytes in
 * the name of a file look the same. A path may have blanks and any other bytes.
 */
#ifndef VM_BASE_PROC_MAPS_LINE_H
#define VM_BASE_PROC_MAPS_LINE_H

#include "vm/base/base.h"

struct maps_line {
	uint64_t lo, hi, offset, inode;
	unsigned major, minor;
	char perms[5];
	char *path; /* in the line, as the file is called; "" for none */
	/* The path ends in " (deleted)", which begins at this offset: the file has gone.
	 * Else its length. */
	size_t path_length;
	bool is_deleted;
};

/*
 * Takes a line apart, which may end in a newline, and decodes its path in place. False:
 * it is another line, and unchanged.
 */
bool maps_line_parse(char *line, struct maps_line *out);

#endif
