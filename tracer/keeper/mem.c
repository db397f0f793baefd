/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

int mem_open(int pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == EACCES || errno == EPERM ? STATUS_PERM : STATUS_GONE;
}

int mem_read(int fd, uint64_t addr, void *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t r =
			pread(fd, (char *)buf + done, n - done, (off_t)(addr + done));

		if (r > 0)
			done += (size_t)r;
		else if (r == 0)
			return STATUS_GONE; /* the address space has no user left */
		else if (errno != EINTR)
			return STATUS_FAULT;
	}
	return 0;
}

int mem_write(int fd, uint64_t addr, const void *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t r = pwrite(fd, (const char *)buf + done, n - done,
				   (off_t)(addr + done));

		if (r > 0)
			done += (size_t)r;
		else if (r == 0)
			return STATUS_GONE;
		else if (errno != EINTR)
			return STATUS_FAULT;
	}
	return 0;
}

size_t mem_peek(int pid, uint64_t addr, void *buf, size_t n)
{
	struct iovec local = {buf, n};
	struct iovec remote[2] = {{(void *)(uintptr_t)addr, n}};
	size_t head = 4096 - (addr & 4095), done = 0;
	ssize_t r;

	if (addr + n < addr)
		return 0;
	/* A transfer that fails stops at an iovec's border: one page each. */
	while (done < n) {
		size_t part = head < n - done ? head : n - done;

		local = (struct iovec){(char *)buf + done, part};
		remote[0] = (struct iovec){(void *)(uintptr_t)(addr + done), part};
		r = process_vm_readv(pid, &local, 1, remote, 1, 0);
		if (r <= 0)
			break;
		done += (size_t)r;
		head = 4096;
	}
	return done;
}

int mem_poke(int pid, uint64_t addr, const void *buf, size_t n)
{
	struct iovec local = {(void *)(uintptr_t)buf, n};
	struct iovec remote = {(void *)(uintptr_t)addr, n};

	return process_vm_writev(pid, &local, 1, &remote, 1, 0) == (ssize_t)n
		       ? 0
		       : STATUS_FAULT;
}
