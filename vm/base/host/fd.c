/* SPDX-License-Identifier: MIT */
#include "vm/base/host/fd.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

bool fd_write_all(int fd, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n > 0) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		p += put;
		n -= (size_t)put;
	}
	return true;
}
