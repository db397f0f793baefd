/* SPDX-License-Identifier: MIT */
/*
 * The fields of /proc/PID/task/TID/stat, by their numbers in proc(5).
 *
 * The second one is a name that a process chooses: it may hold blanks and brackets.
 */
#ifndef VM_BASE_PROC_PROCSTAT_H
#define VM_BASE_PROC_PROCSTAT_H

#include "vm/base/base.h"
#include "vm/base/status.h"

enum procstat_field {
	PROCSTAT_STATE = 3, /* a letter */
	PROCSTAT_PPID = 4,
	PROCSTAT_PGRP = 5,
	PROCSTAT_SESSION = 6,
	PROCSTAT_TTY = 7,
	PROCSTAT_FLAGS = 9,
	PROCSTAT_PRIORITY = 18,
	PROCSTAT_THREADS = 20,
	PROCSTAT_START = 22,
	PROCSTAT_STACK = 28,
	PROCSTAT_CPU = 39,
	PROCSTAT_BRK = 47,
};

/* The bits of PROCSTAT_FLAGS: the kernel's include/linux/sched.h. */
#define PROCSTAT_EXITING 0x4u
#define PROCSTAT_KTHREAD 0x200000u

struct procstat {
	char text[1024]; /* the whole line is shorter */
};

/* Of a thread alone, not of all threads together. STATUS_GONE: there is none. */
int procstat_read(int pid, int tid, struct procstat *s);
/* Where a field begins in the text of the file; NULL: the text is cut before it. */
const char *procstat_field(const char *text, enum procstat_field n);
/* Its number, 0 if it is not there; of PROCSTAT_STATE the letter. */
uint64_t procstat_number(const char *text, enum procstat_field n);

#endif
