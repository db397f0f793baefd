/* SPDX-License-Identifier: MIT */
#include "vm/base/proc/process_end.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TASK_EXITING  0x4u /* PF_EXITING, PF_SIGNALED of the kernel's sched.h */
#define TASK_SIGNALED 0x400u

static bool has_ended(int pid)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0),
			   .events = POLLIN};
	bool is_over = p.fd < 0 ? errno == ESRCH : poll(&p, 1, 0) == 1;

	if (p.fd >= 0)
		close(p.fd);
	return is_over;
}

/* By its flags in proc_pid_stat(5). */
static bool thread_is_exiting(int pid, const char *tid)
{
	char path[64], text[1024] = "";
	unsigned flags = 0;
	const char *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/stat", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ESRCH;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	p = strrchr(text, ')');
	return !*text || (p && sscanf(p, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
			  flags & (TASK_EXITING | TASK_SIGNALED));
}

static bool threads_are_exiting(int pid)
{
	char path[32];
	const struct dirent *entry;
	bool are_exiting = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT;
	while (are_exiting && (entry = readdir(dir)))
		are_exiting =
			*entry->d_name == '.' || thread_is_exiting(pid, entry->d_name);
	closedir(dir);
	return are_exiting;
}

bool process_is_ending(int pid)
{
	return has_ended(pid) || threads_are_exiting(pid);
}
