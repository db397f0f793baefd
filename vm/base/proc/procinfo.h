/* SPDX-License-Identifier: MIT */
/*
 * What D says about a process beyond its numbers, from /proc: the built-ins of
 * cwd, root, curpsinfo and curlwpsinfo.
 */
#ifndef VM_BASE_PROC_PROCINFO_H
#define VM_BASE_PROC_PROCINFO_H

#include "vm/base/base.h"
#include "vm/base/status.h"

/* In the order of vm/builtin.def. */
enum procinfo_number {
	PROCINFO_PGID,
	PROCINFO_SID,
	PROCINFO_EUID,
	PROCINFO_EGID,
	PROCINFO_NLWP,
	PROCINFO_TTYDEV,
	PROCINFO_START, /* ns since 1970 */
	PROCINFO_ARGC,
	PROCINFO_ARGV, /* address in the process */
	PROCINFO_ENVP,
	PROCINFO_STATE, /* of the thread: the letter of proc(5) */
	PROCINFO_PRI,
	PROCINFO_ONPRO,
};

enum procinfo_text { PROCINFO_CWD, PROCINFO_ROOT, PROCINFO_NAME, PROCINFO_PSARGS };

/* STATUS_GONE when the process or thread has gone. */
int procinfo_number(int pid, int tid, enum procinfo_number what, uint64_t *value);
/* The package that the processor is on; 0 when the system does not say. */
uint64_t procinfo_chip(uint32_t cpu);
/* As far as cap allows, terminated; empty when it cannot be read. */
void procinfo_text(int pid, int tid, enum procinfo_text what, char *buf, size_t cap);
/* 1 if the process is ancestor, or descends from it; else 0. */
int procinfo_is_progeny(int pid, uint64_t ancestor);

#endif
