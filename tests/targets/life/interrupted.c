/* SPDX-License-Identifier: MIT */
/*
 * Makes system calls by an instruction of its own, syscall_here(), which signals
 * interrupt: a child's end, which it ignores and the call goes on; a handler
 * after which it goes on; a handler after which the program makes the call again.
 * The instruction runs once for each call that the program makes.
 */
#include "../truth.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EINTR_HERE (-4)

static unsigned long calls;
static volatile sig_atomic_t alarms;

KEEP long syscall_here(long nr, const void *a, void *b, long c)
{
	long r;

	hit(&calls);
	/* the nop: no probe of the ret is right after the call */
	__asm__ volatile("syscall; nop"
			 : "=a"(r)
			 : "0"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return r;
}

static void on_alarm(int sig)
{
	(void)sig;
	alarms = alarms + 1;
}

static void alarms_every(long us, int flags)
{
	struct itimerval every = {{0, us}, {0, us}};
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_alarm;
	sa.sa_flags = flags;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* A child that ends at each of the next moments; the last writes a byte first. */
static void children(int fd)
{
	for (int i = 1; i <= 3; i++) {
		if (fork())
			continue;
		usleep(20000 * (unsigned)i);
		_exit(i == 3 && write(fd, "x", 1) != 1);
	}
}

static void reap(void)
{
	while (wait(NULL) > 0)
		;
}

static void ignored(int fds[2])
{
	struct timespec time = {0, 100000000};
	struct pollfd none = {-1, 0, 0};
	char c;

	children(fds[1]);
	printf("nanosleep: %ld\n", syscall_here(SYS_nanosleep, &time, NULL, 0));
	reap();
	printf("read: %ld\n", syscall_here(SYS_read, (void *)(long)fds[0], &c, 1));
	children(fds[1]);
	printf("poll: %ld\n", syscall_here(SYS_poll, &none, (void *)1, 100));
	reap();
	printf("read: %ld\n", syscall_here(SYS_read, (void *)(long)fds[0], &c, 1));
	children(fds[1]);
	printf("read: %ld\n", syscall_here(SYS_read, (void *)(long)fds[0], &c, 1));
	reap();
}

static void handled(int fds[2])
{
	char c;

	children(fds[1]);
	alarms_every(5000, SA_RESTART);
	printf("restarted: %ld\n", syscall_here(SYS_read, (void *)(long)fds[0], &c, 1));
	alarms_every(5000, 0);
	while (alarms < 40)
		if (syscall_here(SYS_read, (void *)(long)fds[0], &c, 1) != EINTR_HERE)
			puts("read: not interrupted");
	alarms_every(0, 0);
	reap();
}

int main(void)
{
	int fds[2];

	if (pipe(fds))
		return 1;
	ignored(fds);
	handled(fds);
	truth("syscall_here", &calls);
	return 0;
}
