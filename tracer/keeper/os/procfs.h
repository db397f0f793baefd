/* SPDX-License-Identifier: MIT */
/*
 * What /proc says about a thread and about an address space. Everything may have changed
 * when a function returns, unless the thread is stopped.
 */
#ifndef TRACER_KEEPER_OS_PROCFS_H
#define TRACER_KEEPER_OS_PROCFS_H

#include "vm/base/status.h"
#include "vm/base/taddr.h"

#include <stdio.h>

struct procfs_status {
	char name[64];
	char state; /* R S D T t Z X I */
	int tgid, ppid, tracer;
	uint32_t uid, gid; /* real */
	bool has_seccomp;
	uint64_t locked; /* KiB of its memory, by mlock(2) */
	uint64_t mapped; /* bytes */
	/* Bit n - 1: signal n. */
	uint64_t pending, shared_pending, blocked, ignored, caught;
};

/*
 * /proc/TID/status: of the thread itself, so that it works when the leader is a zombie.
 * STATUS_GONE: there is no such thread.
 */
int procfs_status(int tid, struct procfs_status *out);
/* Whether it belongs to the kernel and to no process. */
bool procfs_is_kernel(int tid);
/*
 * Whether it is a thread of the kernel that works for a process, as those of io_uring. It
 * runs no code of the process; if it can be seized at all, it never stops.
 */
bool procfs_is_worker(int tid);
/*
 * Calls each() for every thread of the process until it returns other than 0: returns
 * that, or 0. Threads that begin meanwhile may be left out. STATUS_GONE: no such process.
 */
int procfs_threads(int pid, int (*each)(void *ctx, int tid), void *ctx);
/*
 * Calls each() for every child of this thread of its process, as procfs_threads() does.
 * STATUS_GONE: the kernel does not tell.
 */
int procfs_children(int tid, int (*each)(void *ctx, int pid), void *ctx);
/* The state: R S D T t Z X I; 0: no such thread. Cheaper than procfs_status(). */
char procfs_state(int tid);
/*
 * Whether it sleeps in vfork(2) or its like, until its child calls exec or ends. It
 * cannot be interrupted, maybe for ever; then it stops before its next instruction.
 */
bool procfs_in_vfork(int tid);
/*
 * Whether it is in a system call that makes a thread or a process, which is not announced
 * yet, or may be: it runs.
 */
bool procfs_may_make_child(int tid);
/* What a thread does in the kernel. */
struct procfs_syscall {
	int64_t nr; /* of the system call; -1: it is in a fault or the like */
	uint64_t args[6];
	taddr pc, sp; /* in user mode: where it returns to */
};
/*
 * Reads /proc/TID/syscall. STATUS_BUSY when the thread runs, STATUS_GONE when the file
 * cannot be read.
 */
int procfs_syscall(int tid, struct procfs_syscall *out);
/* The number of the thread as it sees it itself, in its namespace; 0: it has ended. */
uint64_t procfs_inner_tid(int tid);
/* Whether the process (0: this one) may only have so many addresses (ulimit -v). */
bool procfs_limits_addresses(int pid);
/* The CPU time of the thread, in ns. 0, or STATUS_GONE. */
int procfs_runtime(int tid, uint64_t *ns);

/*
 * By how many ns its CLOCK_MONOTONIC is ahead of that of this process: it may be in
 * another namespace of time (time_namespaces(7)).
 */
int64_t procfs_clock_ahead(int pid);

/* AREA_UNDO_LOG: it claims to be the file of hook/undo_log.h. */
enum procfs_area_kind { AREA_PLAIN, AREA_HEAP, AREA_STACK, AREA_VDSO, AREA_UNDO_LOG };

struct procfs_area {
	struct addr_range range;
	bool is_writable, is_executable, is_shared;
	bool is_file; /* of a file, or of a memfd */
	enum procfs_area_kind kind;
};

/* The mappings in ascending order. A zeroed struct is empty. */
struct procfs_maps {
	struct procfs_area *data;
	size_t len, cap;
};

/* Adds the mappings of a process to the list. 0, or STATUS_GONE. */
int procfs_maps(int pid, struct procfs_maps *out);
/* The same from an open file with the format of /proc/PID/maps. */
int procfs_maps_read(FILE *f, struct procfs_maps *out);
void procfs_maps_release(struct procfs_maps *m);
/* The mapping that holds addr, or NULL. */
const struct procfs_area *procfs_maps_find(const struct procfs_maps *m, taddr addr);

#endif
