/* SPDX-License-Identifier: MIT */
/*
 * Opening files that another process names: it may have its own root, the
 * file may be gone or replaced, and what lies there may be anything.
 */
#ifndef SYMBOLS_ELF_FILE_H
#define SYMBOLS_ELF_FILE_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include "vm/base/taddr.h"

/* A file that is mapped in a process. */
struct mapped_file {
	int tid;		 /* a live thread of the process */
	struct addr_range range; /* one of its mappings */
	uint64_t dev, ino;	 /* as in /proc/PID/maps */
	const char *path;	 /* without " (deleted)", as the process sees it */
	bool is_exe;
};

/* Opens to read; PERM, NOENT, IO, or INVAL if it is not a regular file. */
int file_open(const char *path, int *fd, struct err *e);
/* The same below the root directory of the thread's process. */
int file_open_in_root(int tid, const char *path, int *fd, struct err *e);
/* The same for the very file that is mapped; NOENT when it is out of reach. */
int file_open_mapped(const struct mapped_file *m, int *fd, struct err *e);
/* Whether the open file is the one with these numbers from a maps file. */
bool file_is_same(int fd, uint64_t dev, uint64_t ino);

#endif
