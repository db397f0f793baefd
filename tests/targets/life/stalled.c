/* SPDX-License-Identifier: MIT */
/*
 * Passes to take(), every 2 ms, the address of a page that does not come when another
 * process reads it:
 *
 *	page	userfaultfd(2), which is not read
 *	flap	the same, but another thread fills the page and drops it all the time
 *	file	a file of FUSE, whose server (a child process) answers no read
 *
 * Says "ready", and ends with its input; 77: it may not do that here.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096

static int served; /* descriptor of userfaultfd or FUSE */

KEEP long take(const char *text, long v)
{
	__asm__ volatile("" ::"r"(text));
	return v * 3 + 1;
}

static _Noreturn void leave_out(void)
{
	_exit(77);
}

static void thread(void *(*run)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, arg) != 0)
		_exit(1);
}

static char *page_of_userfaultfd(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register r = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	served = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (served < 0 || ioctl(served, UFFDIO_API, &api) < 0)
		leave_out();
	r.range.start = (uint64_t)(uintptr_t)page;
	r.range.len = PAGE;
	if (ioctl(served, UFFDIO_REGISTER, &r) < 0)
		leave_out();
	return page;
}

static void *flap(void *page)
{
	static char zero[PAGE];
	struct uffdio_copy c = {.dst = (uint64_t)(uintptr_t)page,
				.src = (uint64_t)(uintptr_t)zero,
				.len = PAGE,
				.mode = UFFDIO_COPY_MODE_DONTWAKE};

	for (;;) {
		ioctl(served, UFFDIO_COPY, &c);
		madvise(page, PAGE, MADV_DONTNEED);
	}
	return NULL;
}

struct answer {
	struct fuse_out_header out;
	union {
		struct fuse_init_out init;
		struct fuse_entry_out entry;
		struct fuse_attr_out attr;
		struct fuse_open_out open;
	};
};

static void fill_attr(struct fuse_attr *a, uint64_t node)
{
	a->ino = node;
	a->mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644;
	a->nlink = 1;
	a->size = PAGE;
}

/* The bytes of the answer; 0: an error; -1: there is none, ever. */
static int answer(const struct fuse_in_header *in, struct answer *a)
{
	switch (in->opcode) {
	case FUSE_INIT:
		a->init.major = FUSE_KERNEL_VERSION;
		a->init.minor = 31;
		a->init.max_write = PAGE;
		return sizeof(a->init);
	case FUSE_LOOKUP:
		a->entry.nodeid = 2;
		a->entry.entry_valid = a->entry.attr_valid = 1000;
		fill_attr(&a->entry.attr, 2);
		return sizeof(a->entry);
	case FUSE_GETATTR:
		a->attr.attr_valid = 1000;
		fill_attr(&a->attr.attr, in->nodeid);
		return sizeof(a->attr);
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		return sizeof(a->open);
	case FUSE_READ:
		return -1;
	default:
		return 0;
	}
}

static _Noreturn void serve(void)
{
	static char request[1 << 16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(served, request, sizeof(request)) > 0) {
		const struct fuse_in_header *in = (const void *)request;
		struct answer a = {.out.unique = in->unique};
		int n = answer(in, &a);

		if (n < 0)
			continue;
		a.out.error = n ? 0 : -38; /* ENOSYS */
		a.out.len = (uint32_t)(sizeof(a.out) + (size_t)n);
		if (write(served, &a, a.out.len) < 0)
			break;
	}
	_exit(0);
}

static char *page_of_file(void)
{
	char where[] = "/tmp/stalled.XXXXXX", options[80], path[40];
	char *page;
	int file;

	served = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (served < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || !mkdtemp(where))
		leave_out();
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0",
		 served);
	if (mount("stalled", where, "fuse", 0, options) < 0)
		leave_out();
	if (fork() == 0)
		serve();
	close(served);
	snprintf(path, sizeof(path), "%s/file", where);
	file = open(path, O_RDONLY);
	page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	umount2(where, MNT_DETACH);
	rmdir(where);
	if (file < 0 || page == MAP_FAILED)
		_exit(1);
	return page;
}

static volatile long sum; /* keeps the calls */

int main(int argc, char **argv)
{
	struct pollfd input = {STDIN_FILENO, POLLIN, 0};
	const char *how = argc > 1 ? argv[1] : "page";
	char *page = strcmp(how, "file") == 0 ? page_of_file() : page_of_userfaultfd();

	if (strcmp(how, "flap") == 0)
		thread(flap, page);
	if (write(STDOUT_FILENO, "ready\n", 6) < 0)
		return 1;
	while (poll(&input, 1, 2) == 0)
		sum += take(page, 1);
	_exit(0);
}
