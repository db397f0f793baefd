/* SPDX-License-Identifier: MIT */
#include "tracer/base/link.h"
#include "tracer/base/installed.h"
#include "tracer/base/patience.h"
#include "vm/base/proc/process_end.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/pulse.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PULSE_MS	   50
#define KEEPER_END_MS	   2000
#define KEEPER_DETAINED_MS 300 /* most vfork children execute at once */

/* Paths of the keeper's program, relative to the directory of this program. */
static const char *const keeper_places[] = {
	KEEPER_NAME,
	"../libexec/dtrace/" KEEPER_NAME,
};

static int find_keeper(char *path, size_t cap, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(keeper_places); i++)
		if (installed_path(keeper_places[i], path, cap) &&
		    access(path, X_OK) == 0)
			return 0;
	if (!installed_path("", path, cap))
		return err_errno(e, STATUS_NOENT, "cannot read '/proc/self/exe'");
	return err_set(e, STATUS_NOENT,
		       "cannot find '%s' in '%s' or its ../libexec/dtrace: "
		       "install dtrace again",
		       KEEPER_NAME, path);
}

/* In the child: becomes the keeper. It inherits no descriptor of ours but fd. */
static ATTR_NORETURN void exec_keeper(const char *path, int fd, pid_t owner)
{
	char fd_text[16], pid_text[16];
	char *argv[] = {KEEPER_NAME, fd_text, pid_text, NULL};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* one that is stopped must give its targets back when dtrace has ended */
	prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
	fcntl(fd, F_SETFD, 0);
	snprintf(fd_text, sizeof(fd_text), "%d", fd);
	snprintf(pid_text, sizeof(pid_text), "%d", owner);
	execv(path, argv);
	_exit(127);
}

int link_open(struct link *l, struct err *e)
{
	char path[PATH_MAX];
	int pair[2];
	pid_t owner = getpid();
	int rc = find_keeper(path, sizeof(path), e);

	*l = (struct link){.fd = -1};
	if (rc)
		return rc;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(e, STATUS_IO, "cannot make a socket for the keeper");
	l->pid = fork();
	if (l->pid == 0)
		exec_keeper(path, pair[1], owner);
	close(pair[1]);
	if (l->pid < 0) {
		rc = err_errno(e, STATUS_NOMEM, "cannot start '%s'", path);
		close(pair[0]);
		return rc;
	}
	l->fd = pair[0];
	return 0;
}

/* The keeper exits when the last thread is detached. False: not in that time. */
static bool wait_keeper(int pid, int ms)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0),
			   .events = POLLIN};
	uint64_t now = clock_now_ns() / 1000000, until = now + (unsigned)ms;
	pid_t done;
	int rc;

	do { /* signals come as often as someone presses Ctrl-C */
		rc = p.fd < 0 ? 1 : poll(&p, 1, (int)(until - now));
		now = clock_now_ns() / 1000000;
	} while (rc < 0 && errno == EINTR && now < until);
	rc = rc < 0 ? 0 : rc;
	do
		done = waitpid(pid, NULL, rc == 0 ? WNOHANG : 0);
	while (done < 0 && errno == EINTR);
	if (p.fd >= 0)
		close(p.fd);
	return done != 0;
}

bool link_is_stopped(const struct link *l)
{
	siginfo_t info = {0};

	return l->pid > 0 &&
	       !waitid(P_PID, (id_t)l->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) &&
	       info.si_pid == l->pid;
}

void link_continue(const struct link *l)
{
	/* To one that runs, the signal would undo the SIGSTOP of a tracer that attaches:
	   a debugger, or the search for leaks of a build with sanitizers. */
	if (link_is_stopped(l))
		kill(l->pid, SIGCONT);
}

int link_bury(struct link *l)
{
	int stays = 0;

	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	if (l->pid > 0) {
		link_continue(l);
		if (!wait_keeper(l->pid,
				 l->is_detained ? KEEPER_DETAINED_MS : KEEPER_END_MS) &&
		    (l->is_silent || !l->is_detained))
			stays = l->pid;
	}
	l->pid = 0;
	return stays;
}

void link_close_descriptors(const struct link_message *m)
{
	if (m->fd >= 0)
		close(m->fd);
	if (m->second >= 0)
		close(m->second);
}

int link_close(struct link *l)
{
	int stays = link_bury(l);

	for (size_t i = 0; i < l->events.len; i++)
		link_close_descriptors(&l->events.data[i]);
	vec_release(&l->events);
	return stays;
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

/* Takes the descriptors out of a received message; keeps two, closes others. */
static void take_descriptors(struct msghdr *h, struct link_message *m)
{
	m->fd = m->second = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		int fds[KEEPER_FDS_MAX];

		if (c->cmsg_type != SCM_RIGHTS || n > KEEPER_FDS_MAX)
			continue;
		memcpy(fds, CMSG_DATA(c), n * sizeof(int));
		for (size_t i = 0; i < n; i++) {
			if (m->fd < 0)
				m->fd = fds[i];
			else if (m->second < 0)
				m->second = fds[i];
			else
				close(fds[i]);
		}
	}
}

/* 1 a message, 0 none now (flags MSG_DONTWAIT), STATUS_LINK. */
static int receive_message(struct link *l, int flags, struct link_message *m)
{
	char control[CMSG_SPACE(sizeof(int) * KEEPER_FDS_MAX)];
	struct iovec iov = {&m->msg, sizeof(m->msg)};
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
	if (n != (ssize_t)sizeof(m->msg))
		return STATUS_LINK;
	take_descriptors(&h, m);
	m->msg.text[sizeof(m->msg.text) - 1] = '\0';
	return 1;
}

/*
 * A stopped keeper does not tell that the process that it was asked about has ended.
 * While it was asked about none it has no targets, and is as well continued at once.
 */
static bool is_pointless(const struct link *l)
{
	return link_is_stopped(l) && (l->asked <= 0 || process_is_ending(l->asked));
}

/*
 * Waits for a message. While something prepares for long, it is drawn how far it is. A
 * stopped keeper would neither answer nor give its targets back.
 */
static bool wait_for_message(const struct link *l)
{
	struct patience_wait outer = patience_begin(AWAITED_TARGETS);
	struct pollfd p = {.fd = l->fd, .events = POLLIN};
	bool is_over = false;

	while (!is_over && poll(&p, 1, PULSE_MS) <= 0) {
		pulse();
		if (patience_has_begun_end() || is_pointless(l))
			link_continue(l);
		is_over = patience_is_over();
	}
	patience_end(outer);
	return !is_over;
}

static int send_request(struct link *l, struct link_request *req, struct err *e)
{
	req->msg.serial = ++l->serial;
	if (req->msg.pid > 0)
		l->asked = req->msg.pid;
	req->msg.nfds = (uint32_t)req->nfds;
	if (l->is_silent)
		return err_set(e, STATUS_BUSY, "the keeper process does not answer");
	if (l->fd < 0 || send_message(l, req))
		return err_set(e, STATUS_LINK, "the keeper process has gone");
	return 0;
}

int link_send(struct link *l, struct link_request *req, struct err *e)
{
	int rc = send_request(l, req, e);

	l->is_calling = rc == 0;
	return rc;
}

/* Whether it is the reply of link_send_ahead(), which is kept. */
static bool keep_ahead(struct link *l, const struct link_message *m)
{
	if (m->msg.type != KEEPER_REPLY || !l->ahead.serial ||
	    m->msg.serial != l->ahead.serial)
		return false;
	l->ahead.reply = m->msg;
	l->ahead.has_come = true;
	link_close_descriptors(m);
	return true;
}

/* The next message but for the reply that is kept: 1; 0: it was that one. */
static int next_message(struct link *l, struct link_message *got, struct err *e)
{
	if (!wait_for_message(l)) {
		l->is_silent = l->is_detained = true;
		return err_set(e, STATUS_BUSY, "the keeper process does not answer");
	}
	if (receive_message(l, 0, got) < 0)
		return err_set(e, STATUS_LINK, "the keeper process has gone");
	return keep_ahead(l, got) ? 0 : 1;
}

int link_wait(struct link *l, struct keeper_msg *reply, int *fd, struct err *e)
{
	struct link_message got;
	int rc;

	for (;;) {
		rc = next_message(l, &got, e);
		l->is_calling = rc >= 0;
		if (rc < 0)
			return rc;
		if (rc && got.msg.type == KEEPER_REPLY && got.msg.serial == l->serial)
			break;
		if (rc)
			*vec_push(&l->events) = got;
	}
	l->is_calling = false;
	if (fd) {
		*fd = got.fd;
		got.fd = -1;
	}
	link_close_descriptors(&got);
	if (reply)
		*reply = got.msg;
	if (got.msg.status < 0)
		return err_set(e, (enum status)got.msg.status, "%s", got.msg.text);
	return 0;
}

int link_call(struct link *l, struct link_request *req, struct keeper_msg *reply,
	      int *fd, struct err *e)
{
	int rc = link_send(l, req, e);

	return rc ? rc : link_wait(l, reply, fd, e);
}

int link_send_ahead(struct link *l, struct link_request *req, struct err *e)
{
	int rc = send_request(l, req, e);

	if (rc == 0)
		l->ahead.serial = l->serial;
	return rc;
}

int link_wait_ahead(struct link *l, struct keeper_msg *reply, struct err *e)
{
	struct link_message got;
	int rc = 0;

	while (rc >= 0 && !l->ahead.has_come) {
		rc = next_message(l, &got, e);
		if (rc > 0)
			*vec_push(&l->events) = got;
	}
	if (rc < 0)
		return rc;
	*reply = l->ahead.reply;
	if (reply->status < 0)
		return err_set(e, (enum status)reply->status, "%s", reply->text);
	return 0;
}

int link_event(struct link *l, struct link_message *out)
{
	int rc;

	if (l->events.len == 0) {
		do
			rc = l->fd < 0 ? 0 : receive_message(l, MSG_DONTWAIT, out);
		while (rc > 0 && keep_ahead(l, out));
		return rc;
	}
	*out = l->events.data[0];
	l->events.len--;
	memmove(l->events.data, l->events.data + 1,
		l->events.len * sizeof(*l->events.data));
	return 1;
}

/*
 * ftruncate(2), with SIGXFSZ blocked: RLIMIT_FSIZE also limits memory files, and a file
 * that is too large must be an error, not the death of dtrace.
 */
static int set_size(int fd, size_t size)
{
	const struct timespec now = {0, 0};
	sigset_t limit, old;
	int rc, error;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &limit, &old);
	rc = ftruncate(fd, (off_t)size);
	error = errno;
	if (rc < 0 && error == EFBIG && !sigismember(&old, SIGXFSZ))
		sigtimedwait(&limit, NULL, &now);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return rc;
}

/* A target that gets hold of the descriptor can add no seal that others suffer from. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int make_file(const void *data, size_t size, int seals)
{
	int fd = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const char *p = data;
	size_t done = 0;
	int error;

	if (fd < 0 || set_size(fd, size) < 0)
		goto fail;
	while (p && done < size) {
		ssize_t n = pwrite(fd, p + done, size - done, (off_t)done);

		if (n <= 0)
			goto fail;
		done += (size_t)n;
	}
	if (seals && fcntl(fd, F_ADD_SEALS, seals) < 0)
		goto fail;
	return fd;
fail:
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

int link_memfd(const void *data, size_t size)
{
	return make_file(data, size, data ? SEALS | F_SEAL_FUTURE_WRITE : SEALS);
}

int link_open_memfd(size_t size)
{
	return make_file(NULL, size, 0);
}

int link_seal_memfd(int fd)
{
	return fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_FUTURE_WRITE);
}
