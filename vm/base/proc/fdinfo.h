/* SPDX-License-Identifier: MIT */
/*
 * What /proc says of an open file descriptor of a process: fds[] of D.
 */
#ifndef VM_BASE_PROC_FDINFO_H
#define VM_BASE_PROC_FDINFO_H

#include "vm/base/base.h"

/* dlang/standard.c names them by number. */
enum fdinfo {
	FDINFO_PATH,   /* text: as /proc has it, "socket:[7]" for what has no path */
	FDINFO_FS,     /* text: type of the file system: "ext4" */
	FDINFO_MOUNT,  /* text: where it is mounted */
	FDINFO_OFFSET, /* number: the file position */
	FDINFO_OFLAGS, /* number: the flags of open(2) */
	FDINFO_DIR,    /* text: the directory of the path */
};

/*
 * The number; or 0, and the text in buf of cap bytes, cut to them and terminated. A
 * descriptor that is not open: 0 and "<none>"; what cannot be found out: "<unknown>".
 * The file itself is not touched, whose file system may not answer. What /proc says of an
 * epoll instance waits for a lock that its owner may hold for ever: a helper asks
 * (helper.h), for a tenth of a second. One caller at a time.
 */
int64_t fdinfo_get(int pid, int fd, enum fdinfo what, char *buf, size_t cap);
/*
 * The same of a descriptor of this process that is a copy of one of the process pid.
 * Without a helper: for callers that are one.
 */
int64_t fdinfo_get_copy(int pid, int fd, enum fdinfo what, char *buf, size_t cap);

#endif
