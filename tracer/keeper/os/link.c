/* SPDX-License-Identifier: MIT */
/*
 * Sending may wait until the front has read: the socket holds more than two
 * hundred messages, and events are rare (a hit sends nothing). A front that
 * dies meanwhile ends the wait with EPIPE.
 */
#include "tracer/keeper/os/link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

int link_send(int fd, const struct keeper_msg *msg, int pass)
{
	struct keeper_msg copy = *msg;
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {.buf = {0}};
	struct iovec iov = {&copy, sizeof(copy)};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (pass >= 0) {
		struct cmsghdr *c;

		copy.nfds = 1;
		h.msg_control = control.buf;
		h.msg_controllen = sizeof(control.buf);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &pass, sizeof(pass));
	}
	do
		n = sendmsg(fd, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(copy) ? 0 : STATUS_LINK;
}
