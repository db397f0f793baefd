/* SPDX-License-Identifier: MIT */
/*
 * What /proc says about a thread and about an address space.
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
	bool is_kernel, has_seccomp;
	uint64_t locked; /* KiB of its memory */
	/* Bit n - 1: signal n. */
	uint64_t pending, shared_pending, blocked, ignored, caught;
};

/* Of the thread tid (under its own name, so that a zombie leader is no matter). */
int procfs_status(int tid, struct procfs_status *out);
/* Calls each() for every thread listed; STATUS_GONE when the process has gone. */
int procfs_threads(int pid, int (*each)(void *ctx, int tid), void *ctx);
/* The first line of a small file of the thread, terminated, without newline. */
int procfs_line(int tid, const char *file, char *buf, size_t cap);
/* R S D T t Z X I; 0 when it has gone. Cheaper than procfs_status(). */
char procfs_state(int tid);
/*
 * Whether it sleeps, uninterruptibly, until its child executes or ends: that may take for
 * ever, and it stops before any instruction of its own then.
 */
bool procfs_in_vfork(int tid);
/* What a thread does in the kernel. */
struct procfs_syscall {
	int64_t nr; /* of the system call; -1: it is there for another reason, a fault */
	uint64_t args[6];
	taddr pc, sp; /* of user mode: where it returns to */
};
/*
 * Reads /proc/TID/syscall. STATUS_BUSY when the thread runs, STATUS_GONE when the file
 * cannot be read.
 */
int procfs_syscall(int tid, struct procfs_syscall *out);
/* Nanoseconds the thread has run. */
int procfs_runtime(int tid, uint64_t *ns);

enum procfs_area_kind { AREA_PLAIN, AREA_HEAP, AREA_STACK, AREA_VDSO };

struct procfs_area {
	struct addr_range range;
	bool is_writable, is_executable, is_shared;
	bool is_file; /* of one, or of a memory file */
	enum procfs_area_kind kind;
};

/* The mappings in ascending order. A zeroed struct is empty. */
struct procfs_maps {
	struct procfs_area *data;
	size_t len, cap;
};

int procfs_maps(int pid, struct procfs_maps *out);
/* The same from an open file; STATUS_GONE when it says nothing. */
int procfs_maps_read(FILE *f, struct procfs_maps *out);
void procfs_maps_release(struct procfs_maps *m);
/* The mapping that holds addr, or NULL. */
const struct procfs_area *procfs_maps_find(const struct procfs_maps *m, taddr addr);

#endif
