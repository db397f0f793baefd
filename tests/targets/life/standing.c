/* SPDX-License-Identifier: MIT */
/*
 * A thread that is in a stub, in the vdso, in a handler and in what a handler returns
 * to. Says where these are, waits for a line, and is there three times.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../restorer.h"
#include "../truth.h"

#define TIMES 3

static volatile int sink;

static void handle(int sig)
{
	sink += sig;
}

KEEP int through(void)
{
	return getppid() + sink;
}

KEEP int timed(int (*clock)(clockid_t, struct timespec *))
{
	struct timespec ts;

	return clock(CLOCK_MONOTONIC, &ts) + sink;
}

KEEP int signalled(void)
{
	return raise(SIGUSR1) + sink;
}

int main(void)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *clock = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	int (*function)(clockid_t, struct timespec *);

	/* this program is linked for one address: that of the function is its stub's */
	printf("stub %lx\nvdso %lx\nrestorer %lx\n", (unsigned long)(uintptr_t)getppid,
	       (unsigned long)(uintptr_t)clock, (unsigned long)restorer(handle));
	fflush(stdout);
	*(void **)&function = clock;
	if (getchar() == EOF || !function)
		return 1;
	for (int i = 0; i < TIMES; i++)
		sink += through() + timed(function) + signalled();
	return 0;
}
