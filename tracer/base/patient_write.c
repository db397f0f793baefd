/* SPDX-License-Identifier: MIT */
#include "tracer/base/patient_write.h"
#include "tracer/base/patience.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/*
 * Nothing is asked while the call takes all: only a file that makes dtrace wait ends a
 * call by a signal, or writes a part.
 */
static int write_bytes(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t did = write(fd, p, n);
		struct pollfd ready = {.fd = fd, .events = POLLOUT};

		if (did < 0 && errno == EAGAIN)
			did = poll(&ready, 1, -1) < 0 ? -1 : 0;
		if (did < 0 && errno != EINTR)
			return errno;
		if (did == (ssize_t)n)
			break;
		if (patience_is_over())
			return EINTR;
		if (did > 0) {
			p += did;
			n -= (size_t)did;
		}
	}
	return 0;
}

int patient_write(int fd, const void *bytes, size_t n)
{
	struct patience_wait outer = patience_begin(AWAITED_READER);
	int error = write_bytes(fd, bytes, n);

	patience_end(outer);
	return error;
}
