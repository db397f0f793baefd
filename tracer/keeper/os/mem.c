/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE	   4096
#define PEEK_PAGES 8 /* of one call */

int mem_open(int pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = faults_due(FAULTS_FILE, 0) ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == EACCES || errno == EPERM ? STATUS_PERM : STATUS_GONE;
}

int mem_read(int fd, taddr addr, void *buf, size_t n)
{
	size_t done = 0;

	if (faults_due(FAULTS_MEMORY, 0))
		return STATUS_FAULT;
	while (done < n) {
		ssize_t r =
			pread(fd, (char *)buf + done, n - done, (off_t)(addr.v + done));

		if (r > 0)
			done += (size_t)r;
		else if (r == 0)
			return STATUS_GONE; /* the address space has no user left */
		else if (errno != EINTR)
			return STATUS_FAULT;
	}
	return 0;
}

int mem_write(int fd, taddr addr, const void *buf, size_t n)
{
	size_t done = 0;

	if (faults_due(FAULTS_MEMORY, 0))
		return STATUS_FAULT;
	while (done < n) {
		ssize_t r = pwrite(fd, (const char *)buf + done, n - done,
				   (off_t)(addr.v + done));

		if (r > 0)
			done += (size_t)r;
		else if (r == 0)
			return STATUS_GONE;
		else if (errno != EINTR)
			return STATUS_FAULT;
	}
	return 0;
}

size_t mem_peek(int pid, taddr addr, void *buf, size_t n)
{
	size_t done = 0;

	if (addr.v + n < addr.v || faults_due(FAULTS_MEMORY, 0))
		return 0;
	while (done < n) {
		struct iovec local = {(char *)buf + done, 0};
		struct iovec remote[PEEK_PAGES];
		unsigned pages = 0;
		ssize_t r;

		/* A failing transfer stops at the end of an iovec: each is one page. */
		for (; pages < PEEK_PAGES && done + local.iov_len < n; pages++) {
			uint64_t at = addr.v + done + local.iov_len;
			size_t part =
				min_u64(n - done - local.iov_len, PAGE - at % PAGE);

			remote[pages] = (struct iovec){(void *)(uintptr_t)at, part};
			local.iov_len += part;
		}
		r = process_vm_readv(pid, &local, 1, remote, pages, 0);
		if (r > 0)
			done += (size_t)r;
		if (r <= 0 || (size_t)r < local.iov_len)
			break;
	}
	return done;
}

int mem_poke(int pid, taddr addr, const void *buf, size_t n)
{
	struct iovec local = {(void *)(uintptr_t)buf, n};
	struct iovec remote = {(void *)(uintptr_t)addr.v, n};

	if (faults_due(FAULTS_MEMORY, 0) ||
	    process_vm_writev(pid, &local, 1, &remote, 1, 0) != (ssize_t)n)
		return STATUS_FAULT;
	return 0;
}
