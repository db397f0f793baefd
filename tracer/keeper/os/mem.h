/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing a target's memory. No stop is needed, and none of these waits long:
 * vm/base/proc/procmem.h says how pages that do not come are given up.
 */
#ifndef TRACER_KEEPER_OS_MEM_H
#define TRACER_KEEPER_OS_MEM_H

#include "vm/base/status.h"
#include "vm/base/taddr.h"

struct procfs_maps;

/*
 * A descriptor of /proc/PID/mem; STATUS_PERM, STATUS_GONE. It refers to the present
 * address space: after an exec it reads 0 bytes. The functions below take no others.
 */
int mem_open(int pid);
void mem_close(int fd);
/*
 * For what the keeper changes, also in private read-only text. All n bytes: 0.
 * STATUS_FAULT: some cannot be accessed, though others may have been written.
 * STATUS_GONE: no process uses the address space any more.
 */
int mem_read(int fd, taddr addr, void *buf, size_t n);
int mem_write(int fd, taddr addr, const void *buf, size_t n);

/*
 * The same for many places that follow each other: pages are read once, several at a
 * time if maps says that they are code: others may not come soon. Begins with fd and
 * maps (or NULL), all else zeroed; memory may have changed since it was read.
 */
#define MEM_PAGE  4096u
#define MEM_PAGES (16 * MEM_PAGE)
struct mem_pages {
	int fd;
	const struct procfs_maps *maps;
	bool is_gone;	/* no process uses the address space any more */
	uint64_t at, n; /* what is there */
	uint64_t bad;	/* a page that cannot be read; 0: none is known */
	uint8_t bytes[MEM_PAGES];
};
int mem_pages_read(struct mem_pages *p, taddr addr, void *buf, size_t n);

/*
 * For D programs: returns how many bytes before the first unreadable page. Pages that the
 * program has protected from itself may be read as well. mem_peek_some() may return
 * fewer, but not 0 if there are any; it costs less where a string or a stack ends.
 */
size_t mem_peek_some(int fd, taddr addr, void *buf, size_t n);
size_t mem_peek(int fd, taddr addr, void *buf, size_t n);
/* Exactly as the program itself could. All n bytes: 0; else STATUS_FAULT. */
int mem_load(int fd, taddr addr, void *buf, size_t n);
int mem_poke(int fd, taddr addr, const void *buf, size_t n);

#endif
