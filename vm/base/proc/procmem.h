/* SPDX-License-Identifier: MIT */
/*
 * The memory of another process, which may be hostile: a page may be served by
 * userfaultfd(2) or by a file system that does not answer, and whoever touches it sleeps.
 * Pages that /proc/PID/pagemap says are present are accessed directly, which costs less
 * than a microsecond more. For others a helper thread (helper.h) makes the call and is
 * given up after PROCMEM_ONCE_MS. Altogether a process gets PROCMEM_TOTAL_MS of such
 * waiting; 1 ms comes back in 20. It may hold PROCMEM_LOST_MAX helpers for ever. Beyond
 * either limit access to absent pages fails at once.
 *
 * What remains: a page that goes between the look and the access. A read of data still
 * does not wait for userfaultfd then; it waits for a file system.
 */
#ifndef VM_BASE_PROC_PROCMEM_H
#define VM_BASE_PROC_PROCMEM_H

#include "vm/base/base.h"
#include "vm/base/status.h"

#define PROCMEM_ONCE_MS	 200
#define PROCMEM_TOTAL_MS 1000
#define PROCMEM_LOST_MAX 4

struct procmem_lost;

struct procmem {
	int pid;     /* whose memory; a thread's will do */
	int mem;     /* /proc/PID/mem, the caller's; -1: none */
	int pagemap; /* /proc/PID/pagemap, owned; -1: none, every page counts as absent */
	uint64_t left_ms, at_ms;   /* waiting that is left, at this time */
	struct procmem_lost *lost; /* shared with the helpers that it holds */
};

/* mem may be -1: for procmem_peek(), procmem_load() and procmem_poke(). */
void procmem_init(struct procmem *m, int pid, int mem);
void procmem_release(struct procmem *m);

/*
 * All n bytes, through /proc/PID/mem, which also reaches private read-only text and
 * PROT_NONE pages: 0. STATUS_FAULT: some cannot be accessed, though others may have been
 * written, or may still be written by a helper that was given up. STATUS_GONE: no process
 * uses the address space any more.
 */
int procmem_read(struct procmem *m, uint64_t addr, void *buf, size_t n);
int procmem_write(struct procmem *m, uint64_t addr, const void *buf, size_t n);

/*
 * For data, as the program could read it; pages that it has protected from itself may be
 * read as well. Returns how many bytes before the first unreadable page.
 * procmem_peek_some() may return fewer, but not 0 if there are any: it does not wait for
 * more than the first page.
 */
size_t procmem_peek_some(struct procmem *m, uint64_t addr, void *buf, size_t n);
size_t procmem_peek(struct procmem *m, uint64_t addr, void *buf, size_t n);
/* Exactly as the program could read or write. All n bytes: 0; else STATUS_FAULT. */
int procmem_load(struct procmem *m, uint64_t addr, void *buf, size_t n);
int procmem_poke(struct procmem *m, uint64_t addr, const void *buf, size_t n);

/* procmem_peek() of a process of which nothing is open. */
size_t procmem_peek_once(int pid, uint64_t addr, void *buf, size_t n);

#endif
