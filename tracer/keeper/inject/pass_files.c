/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/inject/pass_files.h"
#include "tracer/keeper/os/faults.h"
#include "tracer/keeper/os/mem.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Arguments and results of calls: what recvmsg(2) works on. */
struct room {
	int ends[2];
	struct msghdr message;
	struct iovec byte;
	char data[8];
	union {
		char buf[CMSG_SPACE(sizeof(int) * PASS_FILES_MAX)];
		struct cmsghdr align;
	} control;
};

static_assert(sizeof(struct room) <= PASS_FILES_ROOM, "it fits");

static void *room_pointer(taddr room, size_t offset)
{
	return (void *)(uintptr_t)(room.v + offset);
}

/* The keeper's copy of a descriptor of the process, or negative. */
static int fetch_fd(int pid, int fd)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), got;

	if (process < 0)
		return -1;
	got = faults_due(FAULTS_FILE, SYS_pidfd_getfd)
		      ? -1
		      : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	close(process);
	return got;
}

static int send_files(int end, const int *files, uint32_t n)
{
	union {
		char buf[CMSG_SPACE(sizeof(int) * PASS_FILES_MAX)];
		struct cmsghdr align;
	} control = {.buf = {0}};
	char byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr h = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control.buf,
			   .msg_controllen = CMSG_SPACE(sizeof(int) * n)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int) * n);
	memcpy(CMSG_DATA(c), files, sizeof(int) * n);
	return sendmsg(end, &h, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : STATUS_IO;
}

void pass_files_close(const struct injection *in, int fd)
{
	const uint64_t args[6] = {(uint64_t)fd};
	uint64_t got;

	if (remote_call_do(in->remote, SYS_close, args, &got) < 0)
		remote_call_do(in->remote, SYS_close, args, &got);
}

/* Reads what a call stored, twice if need be: lost descriptors would stay open. */
static int read_there(const struct injection *in, uint64_t at, void *buf, size_t n)
{
	int mem = in->process->space->mem;

	return mem_read(mem, taddr_of(at), buf, n) == 0
		       ? 0
		       : mem_read(mem, taddr_of(at), buf, n);
}

/* The thread receives n files on its end; their numbers there. */
static int receive_there(const struct injection *in, taddr room, int end, uint32_t n,
			 int *out)
{
	const uint64_t args[6] = {(uint64_t)end,
				  room.v + offsetof(struct room, message),
				  MSG_CMSG_CLOEXEC | MSG_DONTWAIT};
	struct room r = {
		.byte = {room_pointer(room, offsetof(struct room, data)), 1},
		.message = {.msg_iov = room_pointer(room, offsetof(struct room, byte)),
			    .msg_iovlen = 1,
			    .msg_control =
				    room_pointer(room, offsetof(struct room, control)),
			    .msg_controllen = sizeof(r.control)}};
	int mem = in->process->space->mem;
	uint64_t got;
	int status = mem_write(mem, room, &r, sizeof(r));

	if (!status)
		status = remote_call_do(in->remote, SYS_recvmsg, args, &got);
	if (!status)
		status = read_there(in, room.v, &r, sizeof(r));
	if (status < 0)
		return status;
	if (r.control.align.cmsg_type != SCM_RIGHTS ||
	    r.control.align.cmsg_len != CMSG_LEN(sizeof(int) * n))
		return STATUS_IO;
	memcpy(out, r.control.buf + CMSG_LEN(0), sizeof(int) * n);
	return 0;
}

int pass_files(const struct injection *in, taddr room, const int *files, uint32_t n,
	       int *out)
{
	const uint64_t args[6] = {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				  room.v + offsetof(struct room, ends)};
	int ends[2], ours;
	uint64_t got;
	int status = remote_call_do(in->remote, SYS_socketpair, args, &got);

	if (!status)
		status = read_there(in, args[3], ends, sizeof(ends));
	if (status < 0)
		return status;
	ours = fetch_fd(in->process->pid, ends[0]);
	if (ours < 0)
		status = STATUS_PERM;
	if (!status)
		status = send_files(ours, files, n);
	if (!status)
		status = receive_there(in, room, ends[1], n, out);
	if (ours >= 0)
		close(ours);
	pass_files_close(in, ends[0]);
	pass_files_close(in, ends[1]);
	return status;
}
