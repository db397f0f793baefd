/* SPDX-License-Identifier: MIT */
/*
 * Fork children that have not run yet when the code changes that they have a copy of:
 *
 *	unborn writable		work() is made writable
 *	unborn PLUGIN		that library, of which plugged() is called, is closed
 *
 * The kernel writes the tid of such a child into a page that userfaultfd(2) holds back, so
 * the child does not run before that page is there. 77: that cannot be had here.
 */
#include <dlfcn.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096

static int watch; /* userfaultfd */
static _Atomic int watch_of_child;
static char *page;
static unsigned long n_work;

/* Alone on its page. */
__attribute__((aligned(PAGE))) KEEP long work(long v)
{
	hit(&n_work);
	return v * 5;
}

__attribute__((aligned(PAGE))) static void *wait_for_children(void *arg)
{
	struct uffd_msg m;

	while (read(watch, &m, sizeof(m)) == sizeof(m))
		if (m.event == UFFD_EVENT_FORK)
			watch_of_child = (int)m.arg.fork.ufd;
	return arg;
}

static int begin(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_EVENT_FORK};
	pthread_t thread;

	watch = (int)syscall(SYS_userfaultfd, 0);
	if (watch < 0 || ioctl(watch, UFFDIO_API, &api) < 0)
		return -1;
	return pthread_create(&thread, NULL, wait_for_children, NULL);
}

static pid_t conceive(void)
{
	struct uffdio_register r = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	pid_t pid;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	r.range = (struct uffdio_range){(uintptr_t)page, PAGE};
	if (ioctl(watch, UFFDIO_REGISTER, &r) < 0)
		_exit(1);
	watch_of_child = -1;
	pid = (pid_t)syscall(SYS_clone, CLONE_CHILD_SETTID | SIGCHLD, NULL, NULL, page,
			     NULL);
	while (pid > 0 && watch_of_child < 0)
		usleep(100);
	return pid;
}

static void bear(void)
{
	struct uffdio_zeropage z = {.range = {(uintptr_t)page, PAGE}};

	if (ioctl(watch_of_child, UFFDIO_ZEROPAGE, &z) < 0)
		_exit(1);
	close(watch_of_child);
	munmap(page, PAGE);
}

/* What becomes of a child that calls f(), after the code has changed. */
static int child_of(long (*f)(long), void *library)
{
	int status;
	pid_t pid = conceive();

	if (pid == 0) {
		for (long i = 0; i < 100; i++)
			if (f(i) != 5 * i)
				_exit(1);
		_exit(0);
	}
	if (library)
		dlclose(library);
	else
		mprotect((void *)(uintptr_t)work, PAGE,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
	work(1);
	bear();
	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 && strcmp(argv[1], "writable") ? 3 : 1;

	if (argc < 2 || begin())
		return 77;
	for (int i = 0; i < rounds; i++) {
		void *library = rounds > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
		long (*f)(long) = work;

		if (library)
			*(void **)&f = dlsym(library, "plugged");
		f(1);
		printf("status %#x\n", child_of(f, library));
	}
	return 0;
}
