/* SPDX-License-Identifier: MIT */
/*
 * Sleeps in the kernel in the way that argv[1] names: "vfork" (a child that shares the
 * memory reads from the standard input), "clone" (it calls work() until it can read) or
 * "page" (a call reads memory that is there once the input is; then it says "awake").
 * Another thread computes meanwhile.
 * Says "ready", then at the first byte "asleep", and ends at the next, with 7; with 77 when
 * it may not sleep like that.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096

static char stack[65536];

KEEP long work(long v)
{
	return v * 3 + 1;
}

static void *worker(void *arg)
{
	volatile long v = 0;

	for (;;)
		v = work(v);
	return arg;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static void hear(void)
{
	char c;

	if (read(STDIN_FILENO, &c, 1) != 1)
		_exit(1);
}

static int child(void *arg)
{
	struct pollfd input = {STDIN_FILENO, POLLIN, 0};
	volatile long v = 0;

	say("asleep\n");
	while (arg && poll(&input, 1, 0) == 0)
		v = work(v);
	hear();
	_exit(work(2));
}

static int status_of(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, __WALL) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int in_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		child(NULL);
	return status_of(pid);
}

static int beside_clone(void)
{
	return status_of(
		clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, stack));
}

struct fault {
	int fd;
	char *page;
};

static void *resolve(void *arg)
{
	const struct fault *f = arg;
	struct uffdio_zeropage zero = {.range = {(unsigned long)f->page, PAGE}};

	say("asleep\n");
	hear();
	ioctl(f->fd, UFFDIO_ZEROPAGE, &zero);
	return NULL;
}

static int for_page(void)
{
	struct fault f = {.fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC)};
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	pthread_t t;
	int ends[2];

	f.page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	reg.range.start = (unsigned long)f.page;
	reg.range.len = PAGE;
	if (f.fd < 0 || ioctl(f.fd, UFFDIO_API, &api) < 0 ||
	    ioctl(f.fd, UFFDIO_REGISTER, &reg) < 0)
		return 77;
	if (pipe(ends) < 0 || pthread_create(&t, NULL, resolve, &f))
		return 1;
	if (write(ends[1], f.page, 7) != 7)
		return 1;
	say("awake\n");
	hear();
	return 7;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 2)
		return 1;
	pthread_create(&t, NULL, worker, NULL);
	say("ready\n");
	hear();
	if (strcmp(argv[1], "vfork") == 0)
		return in_vfork();
	return strcmp(argv[1], "clone") == 0 ? beside_clone() : for_page();
}
