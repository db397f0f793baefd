/* SPDX-License-Identifier: MIT */
/*
 * Sending may wait until the front reads. That is rare: the socket holds more than two
 * hundred messages, and a hit sends none. If the front dies, sendmsg() fails with EPIPE.
 */
#include "tracer/keeper/os/link.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES_MAX (UINT64_C(1) << 32) /* of an image or a table: a sane limit */

static void take_fds(struct msghdr *h, struct link_incoming *out)
{
	uint32_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i + sizeof(int) <= bytes; i += sizeof(int)) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i, sizeof(fd));
			if (n < KEEPER_FDS_MAX)
				out->fds[n++] = fd;
			else
				close(fd);
		}
	}
	out->lacks_fds = h->msg_flags & MSG_CTRUNC && n < KEEPER_FDS_MAX;
	out->msg.nfds = n;
}

int link_receive(int fd, struct link_incoming *out)
{
	union {
		char buf[CMSG_SPACE(sizeof(int) * KEEPER_FDS_MAX)];
		struct cmsghdr align;
	} control;
	struct iovec iov = {&out->msg, sizeof(out->msg)};
	struct msghdr h = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n;

	do
		n = recvmsg(fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n != (ssize_t)sizeof(out->msg))
		return STATUS_LINK;
	take_fds(&h, out);
	return 1;
}

void link_close_fds(struct link_incoming *req)
{
	for (uint32_t i = 0; i < req->msg.nfds; i++)
		close(req->fds[i]);
	req->msg.nfds = 0;
}

int link_send(int fd, const struct keeper_msg *msg, const int *files, uint32_t nfiles)
{
	struct keeper_msg copy = *msg;
	union {
		char buf[CMSG_SPACE(sizeof(int) * LINK_SENT_MAX)];
		struct cmsghdr align;
	} control = {.buf = {0}};
	struct iovec iov = {&copy, sizeof(copy)};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (nfiles) {
		struct cmsghdr *c;

		copy.nfds = nfiles;
		h.msg_control = control.buf;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * nfiles);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * nfiles);
		memcpy(CMSG_DATA(c), files, sizeof(int) * nfiles);
	}
	do
		n = sendmsg(fd, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(copy) ? 0 : STATUS_LINK;
}

void *link_copy(struct link_memory s, struct err *e)
{
	char *p;
	uint64_t n = s.bytes, done = 0;

	if (!n || n > BYTES_MAX) {
		err_set(e, STATUS_BADFMT, "%llu bytes is no possible size",
			(unsigned long long)n);
		return NULL;
	}
	p = oom_realloc(NULL, n);
	while (done < n) {
		ssize_t r = pread(s.fd, p + done, n - done, (off_t)done);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			err_set(e, STATUS_BADFMT, "it is shorter than announced");
			free(p);
			return NULL;
		}
		done += (uint64_t)r;
	}
	return p;
}
