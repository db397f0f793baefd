/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/privileged_exec.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The arguments of execveat(2), or of execve(2) as its plain form. */
struct program {
	int dir;
	int flags;
	char path[4096];
};

bool privileged_exec_is_lost(void)
{
	return geteuid() != 0;
}

static bool read_path(const struct task *task, uint64_t addr, struct program *p)
{
	size_t n = mem_peek(task->process->space->mem, taddr_of(addr), p->path,
			    sizeof(p->path));

	return memchr(p->path, '\0', n) != NULL;
}

static bool read_call(const struct task *task, struct program *p)
{
	struct regs regs;
	bool is_entry;

	if (pt_call_stop(task->tid, &is_entry) < 0 || !is_entry ||
	    pt_regs(task->tid, &regs) < 0)
		return false;
	switch (regs_syscall(&regs)) {
	case SYS_execve:
		p->dir = AT_FDCWD;
		p->flags = 0;
		return read_path(task, regs_syscall_arg(&regs, 0), p);
	case SYS_execveat:
		p->dir = (int)regs_syscall_arg(&regs, 0);
		p->flags = (int)regs_syscall_arg(&regs, 4);
		return read_path(task, regs_syscall_arg(&regs, 1), p);
	default:
		return false;
	}
}

/* Looks the path up as the thread does: from its root, working folder or descriptor. */
static int open_program(int tid, const struct program *p)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC,
				     .resolve = RESOLVE_IN_ROOT};
	char base[48];
	int fd, at;

	if (p->path[0] == '/')
		snprintf(base, sizeof(base), "/proc/%d/root", tid);
	else if (p->dir == AT_FDCWD)
		snprintf(base, sizeof(base), "/proc/%d/cwd", tid);
	else
		snprintf(base, sizeof(base), "/proc/%d/fd/%d", tid, p->dir);
	at = open(base, O_PATH | O_CLOEXEC);
	if (at < 0 || (!p->path[0] && p->flags & AT_EMPTY_PATH))
		return at;
	if (p->path[0] == '/')
		fd = (int)syscall(SYS_openat2, at, p->path, &how, sizeof(how));
	else
		fd = openat(at, p->path, O_PATH | O_CLOEXEC);
	close(at);
	return fd;
}

/*
 * A file that cannot be executed gives nothing: the exec fails, and its caller would run
 * on untraced in memory with our breakpoints.
 */
static bool gives(int fd)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return false;
	return st.st_mode & S_ISUID ||
	       (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

bool privileged_exec_by_call(const struct task *task)
{
	struct program p;
	bool is_gain;
	int fd;

	if (!read_call(task, &p))
		return false;
	fd = open_program(task->tid, &p);
	if (fd < 0)
		return false;
	is_gain = gives(fd);
	close(fd);
	return is_gain;
}
