/* SPDX-License-Identifier: MIT */
/*
 * For many small reads of another process's memory that lie close together: a private
 * copy of the stretch around the last one. A read within it makes no system call. It
 * gives what the memory held when the stretch was copied, so a window is for one pass
 * over text.
 */
#ifndef VM_BASE_HOST_PROCMEM_WINDOW_H
#define VM_BASE_HOST_PROCMEM_WINDOW_H

#include "vm/base/host/procmem.h"

#define PROCMEM_WINDOW_BYTES (64u << 10)

struct procmem_window {
	struct procmem *memory; /* borrowed; NULL: every read is a fault */
	uint64_t lo;
	size_t n;
	unsigned char *bytes; /* owned */
};

/* Of {.memory = m}. The bytes are allocated by the first read. */
void procmem_window_release(struct procmem_window *w);

/* As procmem_read(). What is too long or not in the copy is read directly. */
int procmem_window_read(struct procmem_window *w, uint64_t addr, void *buf, size_t n);

#endif
