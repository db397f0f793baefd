/* SPDX-License-Identifier: MIT */
/*
 * For many small reads of another process's memory that lie close together: private
 * copies of the stretches around the last ones. Several, because a pass over the text
 * visits the unlikely parts of functions in turn with the functions. A read within a
 * copy makes no system call. A copy that goes on where another ends takes its place and
 * is twice as long: a whole text is read by few calls, and one function by a short one.
 * A read gives what the memory held when the stretch was copied,
 * so a window is for one pass over text.
 */
#ifndef VM_BASE_PROC_PROCMEM_WINDOW_H
#define VM_BASE_PROC_PROCMEM_WINDOW_H

#include "vm/base/proc/procmem.h"

#define PROCMEM_WINDOW_BYTES  (64u << 10)  /* of one copy, at least */
#define PROCMEM_WINDOW_MOST   (128u << 10) /* and at most */
#define PROCMEM_WINDOW_COPIES 4

struct procmem_copy {
	uint64_t lo;
	size_t n, cap;
	unsigned char *bytes; /* owned */
};

struct procmem_window {
	struct procmem *memory; /* borrowed; NULL: every read is a fault */
	struct procmem_copy copies[PROCMEM_WINDOW_COPIES]; /* the last used one first */
};

/* Of {.memory = m}. The bytes are allocated by the first read. */
void procmem_window_release(struct procmem_window *w);

/* As procmem_read(). What is too long or not in the copy is read directly. */
int procmem_window_read(struct procmem_window *w, uint64_t addr, void *buf, size_t n);

#endif
