/* SPDX-License-Identifier: MIT */
#include "vm/base/proc/procinfo.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/procmem.h"
#include "vm/base/proc/procstat.h"
#include "vm/base/host/helper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FILE_MAX_BYTES	8192
#define NSEC_PER_SEC	UINT64_C(1000000000)
#define PSARGS_MAX	79 /* characters of pr_psargs */
#define GENERATIONS_MAX 4096

static ssize_t read_file(const char *path, char *buf, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return -1;
	n = read(fd, buf, cap - 1);
	close(fd);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	return n;
}

/* Whether pid is a process's or a thread's number, this is the thread's alone. */
static int stat_field(int pid, int tid, enum procstat_field n, uint64_t *value)
{
	struct procstat s;
	int status = procstat_read(pid, tid, &s);

	if (!status)
		*value = procstat_number(s.text, n);
	return status;
}

/* The effective id: the second number of the line of status. */
static int effective_id(int pid, const char *line, uint64_t *value)
{
	char path[64], text[FILE_MAX_BYTES];
	const char *p;
	unsigned long real, effective;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return STATUS_GONE;
	p = strstr(text, line);
	if (!p || sscanf(p + strlen(line), "%lu %lu", &real, &effective) != 2)
		return STATUS_GONE;
	*value = effective;
	return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* stat counts in ticks since the system's start. */
static int start_time(int pid, uint64_t *value)
{
	uint64_t ticks, hz = (uint64_t)sysconf(_SC_CLK_TCK);
	int status = stat_field(pid, pid, PROCSTAT_START, &ticks);

	if (!status)
		*value = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
			 ticks * (NSEC_PER_SEC / hz);
	return status;
}

/* A new program's stack begins with argc, argv[], NULL, envp[] (System V ABI, 3.4.1). */
static int initial_stack(int pid, enum procinfo_number what, uint64_t *value)
{
	uint64_t at, argc = 0;
	int status = stat_field(pid, pid, PROCSTAT_STACK, &at);

	if (status)
		return status;
	if (procmem_peek_once(pid, at, &argc, sizeof(argc)) != sizeof(argc))
		return STATUS_GONE;
	if (what == PROCINFO_ARGC)
		*value = argc;
	else
		*value = at + 8 + (what == PROCINFO_ENVP ? 8 * (argc + 1) : 0);
	return 0;
}

uint64_t procinfo_chip(uint32_t cpu)
{
	char path[96], text[32];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
	if (read_file(path, text, sizeof(text)) <= 0)
		return 0;
	return strtoul(text, NULL, 10);
}

int procinfo_number(int pid, int tid, enum procinfo_number what, uint64_t *value)
{
	switch (what) {
	case PROCINFO_PGID:
		return stat_field(pid, tid, PROCSTAT_PGRP, value);
	case PROCINFO_SID:
		return stat_field(pid, tid, PROCSTAT_SESSION, value);
	case PROCINFO_EUID:
		return effective_id(pid, "\nUid:", value);
	case PROCINFO_EGID:
		return effective_id(pid, "\nGid:", value);
	case PROCINFO_NLWP:
		return stat_field(pid, tid, PROCSTAT_THREADS, value);
	case PROCINFO_TTYDEV:
		return stat_field(pid, tid, PROCSTAT_TTY, value);
	case PROCINFO_START:
		return start_time(pid, value);
	case PROCINFO_ARGC:
	case PROCINFO_ARGV:
	case PROCINFO_ENVP:
		return initial_stack(pid, what, value);
	case PROCINFO_STATE:
		return stat_field(pid, tid, PROCSTAT_STATE, value);
	case PROCINFO_PRI:
		return stat_field(pid, tid, PROCSTAT_PRIORITY, value);
	case PROCINFO_ONPRO:
		return stat_field(pid, tid, PROCSTAT_CPU, value);
	}
	return STATUS_RANGE;
}

static void link_text(int tid, const char *name, char *buf, size_t cap)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	n = readlink(path, buf, cap - 1);
	buf[n < 0 ? 0 : n] = '\0';
}

/* The kernel reads the arguments from the process's memory. */
struct psargs {
	struct helper_job base;
	int pid;
	char text[PSARGS_MAX + 1];
};

/* The arguments, separated by blanks, cut as pr_psargs is. */
static void read_psargs(struct helper_job *base)
{
	struct psargs *job = (struct psargs *)base;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", job->pid);
	n = read_file(path, job->text, sizeof(job->text));
	while (n > 0 && !job->text[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!job->text[i])
			job->text[i] = ' ';
}

static void drop_psargs(struct helper_job *base)
{
	free(base);
}

static void psargs_text(int pid, char *buf, size_t cap)
{
	struct psargs *job = oom_calloc(1, sizeof(*job));
	int status;

	job->base = (struct helper_job){.run = read_psargs, .drop = drop_psargs};
	job->pid = pid;
	status = helper_ask(pid, &job->base);
	snprintf(buf, cap, "%s", status ? "" : job->text);
	if (status != STATUS_BUSY)
		free(job);
}

void procinfo_text(int pid, int tid, enum procinfo_text what, char *buf, size_t cap)
{
	char path[64];

	if (!cap)
		return;
	buf[0] = '\0';
	switch (what) {
	case PROCINFO_CWD:
		link_text(tid, "cwd", buf, cap);
		break;
	case PROCINFO_ROOT:
		link_text(tid, "root", buf, cap);
		break;
	case PROCINFO_NAME:
		snprintf(path, sizeof(path), "/proc/%d/comm", tid);
		read_file(path, buf, cap);
		buf[strcspn(buf, "\n")] = '\0';
		break;
	case PROCINFO_PSARGS:
		psargs_text(pid, buf, cap);
		break;
	}
}

int procinfo_is_progeny(int pid, uint64_t ancestor)
{
	uint64_t at = (uint64_t)pid;

	for (int i = 0; i < GENERATIONS_MAX && at; i++) {
		if (at == ancestor)
			return 1;
		if (stat_field((int)at, (int)at, PROCSTAT_PPID, &at))
			return 0;
	}
	return 0;
}
