/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/cut_file.h"
#include "tracer/keeper/os/procfs.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool fills(const char *path)
{
	static const char *const devices[] = {"/dev/zero", "/dev/full", "/dev/urandom",
					      "/dev/random"};

	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		if (strcmp(path, devices[i]) == 0)
			return true;
	return false;
}

/* The type of a socket is known to those that have a descriptor of it. */
static bool is_stream(int tid, int fd)
{
	struct procfs_status st;
	socklen_t n = sizeof(int);
	int type = 0, copy = -1, process = -1;

	if (procfs_status(tid, &st) == 0)
		process = (int)syscall(SYS_pidfd_open, st.tgid, 0);
	if (process >= 0) {
		copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
		close(process);
	}
	if (copy >= 0) {
		getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &n);
		close(copy);
	}
	return type == SOCK_STREAM;
}

bool cut_file_is(int tid, int fd, enum cut_file what)
{
	char path[64], target[64] = "";

	if (what == CUT_FILE_STREAM)
		return is_stream(tid, fd);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	if (readlink(path, target, sizeof(target) - 1) <= 0)
		return false;
	/* pipes and sockets have no path, but "pipe:[123]" */
	return what == CUT_FILE_FILLS ? fills(target) : target[0] == '/';
}
