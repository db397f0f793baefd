/* SPDX-License-Identifier: MIT */
/*
 * System calls of every kind, each a known number of times: plain and failing ones,
 * calls that a handler interrupts (made again, or ended by EINTR, or abandoned by a jump
 * out of the handler), vfork, fork, a failed execve. Prints on standard error what it
 * saw. With an argument it executes that at its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

static sigjmp_buf jump;
static int fds[2], ends_by_jump, writes;

static void on_alarm(int sig)
{
	(void)sig;
	if (ends_by_jump)
		siglongjmp(jump, 1);
	if (writes && write(fds[1], "x", 1) != 1)
		_exit(9);
}

static void alarm_soon(int flags)
{
	const struct itimerval soon = {{0, 0}, {0, 50000}};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = flags};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
}

/* A read that the handler fills the pipe for; one that ends; one that is left. */
KEEP void reads(void)
{
	volatile long n;
	char c;

	writes = 1;
	alarm_soon(SA_RESTART);
	n = read(fds[0], &c, 1);
	fprintf(stderr, "restarted %ld\n", n);
	writes = 0;
	alarm_soon(0);
	n = read(fds[0], &c, 1);
	fprintf(stderr, "interrupted %ld %d\n", n, n < 0 && errno == EINTR);
	ends_by_jump = 1;
	alarm_soon(SA_RESTART);
	if (sigsetjmp(jump, 1) == 0)
		n = read(fds[0], &c, 1);
	else
		fprintf(stderr, "left\n");
	ends_by_jump = 0;
	if (write(fds[1], "y", 1) == 1)
		n = read(fds[0], &c, 1);
	fprintf(stderr, "after %ld\n", n);
}

KEEP void naps(void)
{
	const struct timespec time = {0, 100000000};
	struct timespec left = {0, 0};
	long n;

	n = syscall(SYS_nanosleep, &time, NULL);
	fprintf(stderr, "nap %ld\n", n);
	alarm_soon(SA_RESTART);
	n = syscall(SYS_nanosleep, &time, &left);
	fprintf(stderr, "short nap %ld %d %d\n", n, n < 0 && errno == EINTR,
		left.tv_nsec > 0 && left.tv_nsec < 90000000);
}

KEEP void children(void)
{
	char *const none[] = {"none", NULL};
	int status = 0;
	pid_t pid = vfork();

	if (pid == 0)
		_exit(3);
	waitpid(pid, &status, 0);
	fprintf(stderr, "vfork %d\n", WEXITSTATUS(status));
	pid = fork();
	if (pid == 0)
		_exit(4);
	waitpid(pid, &status, 0);
	fprintf(stderr, "fork %d\n", WEXITSTATUS(status));
	fprintf(stderr, "execve %d\n",
		execve("/no/such/program", none, none) < 0 && errno == ENOENT);
}

static void *thread(void *arg)
{
	syscall(SYS_getuid);
	return arg;
}

int main(int argc, char **argv)
{
	static char buffer[4096];
	pthread_t t;
	long seek;

	/* One write at the end, not one more call for each line. */
	setvbuf(stderr, buffer, _IOFBF, sizeof(buffer));
	if (pipe(fds) < 0)
		return 1;
	for (int i = 0; i < 5; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < 3; i++)
		fprintf(stderr, "close %d\n", close(-1));
	seek = lseek(fds[0], 11, SEEK_CUR);
	fprintf(stderr, "lseek %ld %d\n", seek, errno);
	syscall(SYS_kcmp, 11, 12, 13, 14, 15, 16);
	reads();
	naps();
	children();
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	fflush(stderr);
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 7;
}
