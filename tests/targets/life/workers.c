/* SPDX-License-Identifier: MIT */
/*
 * Has threads of the kernel in its list of threads: io_uring's worker, which reads from a
 * pipe, and its poller. Prints "ready NUMBER", how many; then calls work() for ever, and for
 * each byte of the standard input lets the worker end and makes a new one.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <dirent.h>
#include <unistd.h>

#include "../truth.h"

struct ring {
	int fd;
	unsigned *tail, *mask, *array;
	struct io_uring_sqe *entries;
};

KEEP long work(long v)
{
	return v * 3 + 1;
}

static int open_ring(struct ring *r, unsigned flags)
{
	struct io_uring_params p;
	char *queue;

	memset(&p, 0, sizeof(p));
	p.flags = flags;
	p.sq_thread_idle = 10;
	r->fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (r->fd < 0)
		return -1;
	queue = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		     IORING_OFF_SQ_RING);
	r->entries = mmap(NULL, 4 * sizeof(*r->entries), PROT_READ | PROT_WRITE,
			  MAP_SHARED, r->fd, IORING_OFF_SQES);
	if (queue == MAP_FAILED || (void *)r->entries == MAP_FAILED)
		return -1;
	r->tail = (unsigned *)(queue + p.sq_off.tail);
	r->mask = (unsigned *)(queue + p.sq_off.ring_mask);
	r->array = (unsigned *)(queue + p.sq_off.array);
	return 0;
}

/* The request is one that would wait: IOSQE_ASYNC gives it to a worker at once. */
static void read_in_worker(struct ring *r, int fd)
{
	static char byte;
	unsigned at = *r->tail & *r->mask;

	r->entries[at] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
					       .flags = IOSQE_ASYNC,
					       .fd = fd,
					       .addr = (unsigned long)&byte,
					       .len = 1};
	r->array[at] = at;
	__atomic_store_n(r->tail, *r->tail + 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, r->fd, 1, 0, 0, NULL, 0);
}

static int threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

int main(void)
{
	struct ring ring, polled;
	struct pollfd in = {STDIN_FILENO, POLLIN, 0};
	int fds[2];
	char c;

	if (open_ring(&ring, 0) || open_ring(&polled, IORING_SETUP_SQPOLL) || pipe(fds))
		return 2;
	read_in_worker(&ring, fds[0]);
	for (int i = 0; i < 500 && threads() < 3; i++)
		usleep(10000);
	printf("ready %d\n", threads());
	fflush(stdout);
	for (long v = 0;; v++) {
		work(v);
		if (poll(&in, 1, 1) <= 0)
			continue;
		if (read(STDIN_FILENO, &c, 1) != 1)
			return 0;
		if (write(fds[1], &c, 1) != 1)
			return 2;
		read_in_worker(&ring, fds[0]);
	}
}
