/* SPDX-License-Identifier: MIT */
/*
 * The kernel sends the program its own system calls, as SIGSYS, but for those of the C
 * library (PR_SET_SYSCALL_USER_DISPATCH), as emulators have it. It prints "ready", calls
 * work() every millisecond for a while, and makes a call that its handler answers each
 * time: if that is not so, it ends with 4. Status 77: the kernel cannot do it.
 */
#include "../truth.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define TURNS  400
#define ANSWER 4711

static unsigned long n_work;
static char selector; /* 0: all calls pass */

KEEP long work(long v)
{
	volatile long x[4] = {v};

	hit(&n_work);
	return x[0];
}

static void answer(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = ANSWER;
}

static long own_call(void)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_getpid)
			 : "rcx", "r11", "memory");
	return result;
}

/* The code of the C library, where a signal handler returns to the kernel, too. */
static void find_library(unsigned long *lo, unsigned long *hi)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "r-xp") && strstr(line, "/libc.so"))
			sscanf(line, "%lx-%lx", lo, hi);
	if (f)
		fclose(f);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
	unsigned long lo = 0, hi = 0;
	bool is_answered = true;

	find_library(&lo, &hi);
	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, lo, hi - lo, &selector))
		return 77;
	puts("ready");
	fflush(stdout);
	selector = 1;
	for (long i = 0; i < TURNS && is_answered; i++) {
		usleep(1000);
		is_answered = work(i) == i && own_call() == ANSWER;
	}
	selector = 0;
	truth("work", &n_work);
	return is_answered && n_work == TURNS ? 0 : 4;
}
