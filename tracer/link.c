/* SPDX-License-Identifier: MIT */
#include "tracer/link.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the keeper's program stands, relative to the directory of ours. */
static const char *const keeper_places[] = {
	KEEPER_NAME,
	"../libexec/dtrace/" KEEPER_NAME,
};

static int find_keeper(char *path, size_t cap, struct err *e)
{
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_errno(e, STATUS_NOENT, "cannot read '/proc/self/exe'");
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	for (size_t i = 0; i < ARRAY_LEN(keeper_places); i++) {
		n = snprintf(path, cap, "%s/%s", self, keeper_places[i]);
		if ((size_t)n < cap && access(path, X_OK) == 0)
			return 0;
	}
	return err_set(e, STATUS_NOENT,
		       "cannot find '%s' in '%s' or its ../libexec/dtrace: "
		       "install dtrace again",
		       KEEPER_NAME, self);
}

/* In the child: becomes the keeper, with fd its only descriptor beyond 2. */
static ATTR_NORETURN void exec_keeper(const char *path, int fd, pid_t front)
{
	char fd_text[16], pid_text[16];
	char *argv[] = {KEEPER_NAME, fd_text, pid_text, NULL};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fcntl(fd, F_SETFD, 0);
	snprintf(fd_text, sizeof(fd_text), "%d", fd);
	snprintf(pid_text, sizeof(pid_text), "%d", front);
	execv(path, argv);
	_exit(127);
}

int link_open(struct link *l, struct err *e)
{
	char path[PATH_MAX];
	int pair[2];
	pid_t front = getpid();
	int rc = find_keeper(path, sizeof(path), e);

	*l = (struct link){.fd = -1};
	if (rc)
		return rc;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(e, STATUS_IO, "cannot make a socket for the keeper");
	l->pid = fork();
	if (l->pid == 0)
		exec_keeper(path, pair[1], front);
	close(pair[1]);
	if (l->pid < 0) {
		rc = err_errno(e, STATUS_NOMEM, "cannot start '%s'", path);
		close(pair[0]);
		return rc;
	}
	l->fd = pair[0];
	return 0;
}

void link_close(struct link *l)
{
	if (l->fd < 0)
		return;
	close(l->fd);
	l->fd = -1;
	while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
		;
	vec_release(&l->events);
}

static int send_message(struct link *l, const struct link_request *req)
{
	char control[CMSG_SPACE(sizeof(int) * KEEPER_FDS_MAX)] = {0};
	struct iovec iov = {(void *)(uintptr_t)&req->msg, sizeof(req->msg)};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *c;
	ssize_t n;

	if (req->nfds > 0) {
		h.msg_control = control;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)req->nfds);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)req->nfds);
		memcpy(CMSG_DATA(c), req->fds, sizeof(int) * (size_t)req->nfds);
	}
	do
		n = sendmsg(l->fd, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(req->msg) ? 0 : STATUS_LINK;
}

/* Takes the descriptors out of a received message; keeps the first, closes others. */
static int take_descriptor(struct msghdr *h)
{
	int kept = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		int fds[KEEPER_FDS_MAX];

		if (c->cmsg_type != SCM_RIGHTS || n > KEEPER_FDS_MAX)
			continue;
		memcpy(fds, CMSG_DATA(c), n * sizeof(int));
		for (size_t i = 0; i < n; i++) {
			if (kept < 0)
				kept = fds[i];
			else
				close(fds[i]);
		}
	}
	return kept;
}

/* 1 a message, 0 none now (flags MSG_DONTWAIT), STATUS_LINK. */
static int receive_message(struct link *l, int flags, struct keeper_msg *msg, int *fd)
{
	char control[CMSG_SPACE(sizeof(int) * KEEPER_FDS_MAX)];
	struct iovec iov = {msg, sizeof(*msg)};
	struct msghdr h = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	ssize_t n;

	do
		n = recvmsg(l->fd, &h, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n != (ssize_t)sizeof(*msg))
		return STATUS_LINK;
	*fd = take_descriptor(&h);
	msg->text[sizeof(msg->text) - 1] = '\0';
	return 1;
}

int link_call(struct link *l, struct link_request *req, struct keeper_msg *reply, int *fd,
	      struct err *e)
{
	struct keeper_msg msg;
	int got = -1;

	req->msg.serial = ++l->serial;
	req->msg.nfds = (uint32_t)req->nfds;
	if (l->fd < 0 || send_message(l, req))
		return err_set(e, STATUS_LINK, "the keeper process has gone");
	for (;;) {
		if (receive_message(l, 0, &msg, &got) < 0)
			return err_set(e, STATUS_LINK, "the keeper process has gone");
		if (msg.type == KEEPER_REPLY && msg.serial == l->serial)
			break;
		if (got >= 0)
			close(got);
		*vec_push(&l->events) = msg;
	}
	if (fd)
		*fd = got;
	else if (got >= 0)
		close(got);
	if (reply)
		*reply = msg;
	return msg.status < 0 ? err_set(e, (enum status)msg.status, "%s", msg.text) : 0;
}

int link_event(struct link *l, struct keeper_msg *out)
{
	int fd = -1, rc;

	if (l->events.len > 0) {
		*out = l->events.data[0];
		l->events.len--;
		memmove(l->events.data, l->events.data + 1,
			l->events.len * sizeof(*l->events.data));
		return 1;
	}
	if (l->fd < 0)
		return 0;
	rc = receive_message(l, MSG_DONTWAIT, out, &fd);
	if (fd >= 0)
		close(fd);
	return rc;
}

int link_memfd(const void *data, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const char *p = data;
	size_t done = 0;

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		goto fail;
	while (p && done < size) {
		ssize_t n = pwrite(fd, p + done, size - done, (off_t)done);

		if (n <= 0)
			goto fail;
		done += (size_t)n;
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		goto fail;
	return fd;
fail:
	if (fd >= 0)
		close(fd);
	return -1;
}
