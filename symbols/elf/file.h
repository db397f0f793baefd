/* SPDX-License-Identifier: MIT */
/*
 * Opens files by names that come from another process. It may have another root
 * directory; the file may be deleted, replaced, or of any type.
 *
 * The functions return 0 with *fd open for reading (close-on-exec), or an error with
 * *fd -1: PERM, NOENT, IO, or INVAL if it is not a regular file.
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
	const char *path;	 /* as the process sees it, without " (deleted)" */
	bool is_exe;
};

/* Opens path as this process sees it. */
int file_open(const char *path, int *fd, struct err *e);
/*
 * Opens path as the process of tid sees it; symbolic links resolve in its root. GONE
 * if it has ended.
 */
int file_open_in_root(int tid, const char *path, int *fd, struct err *e);
/*
 * A path of /proc/TID/maps as the process sees it, a part of path: of a process whose
 * root is a folder of this one's (chroot), these paths begin with the folder. tid 0:
 * path.
 */
const char *file_path_inside(int tid, const char *path);
/*
 * Opens the file that is mapped, not one that replaced it; NOENT if it is unreachable,
 * GONE if the process has ended.
 */
int file_open_mapped(const struct mapped_file *m, int *fd, struct err *e);
/* Whether fd is the file with these numbers of /proc/PID/maps. */
bool file_is_same(int fd, uint64_t dev, uint64_t ino);

#endif
