/* SPDX-License-Identifier: MIT */
/*
 * Files that dtrace writes under a name that may lead elsewhere by now: another user may
 * have made a link, a pipe or a file there first.
 */
#ifndef TRACER_BASE_OWN_FILE_H
#define TRACER_BASE_OWN_FILE_H

#include "vm/base/host/err.h"

#include <stdbool.h>
#include <sys/stat.h>

enum own_file {
	OWN_FILE_ANY,	 /* what the path leads to, as a shell's >> */
	OWN_FILE_STREAM, /* no link; a regular file, a pipe or a device of the user; what
			     a path in /dev leads to */
	OWN_FILE_REGULAR, /* no link; a regular file of the user */
};

/* Why it is no regular file of the user, with one name; NULL: it is. */
const char *own_file_refusal(const struct stat *st);
/*
 * Opens the file for appending; it is made if there is none. Which is opened is certain:
 * another cannot take its place meanwhile. The text of an error is the reason alone.
 */
int own_file_append(const char *path, enum own_file which, struct err *e);
/*
 * Removes what could not be written whole: the name, if it still is that of the regular
 * file. Whether it did.
 */
bool own_file_remove(int fd, const char *path);

#endif
