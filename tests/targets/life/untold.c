/* SPDX-License-Identifier: MIT */
/*
 * Threads that fork all the time are killed amid that: no tracer hears of the child then.
 *
 *	untold exec N	the process executes itself N times
 *	untold end N	N processes end, of which this one adopts the children
 *
 * Ends when all children have ended.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

#define THREADS 4

KEEP long work(long v)
{
	return v + 1;
}

static void *fork_often(void *arg)
{
	for (;;)
		if (fork() == 0) {
			work(1);
			_exit(0);
		}
	return arg;
}

static void fork_for_a_while(void)
{
	pthread_t thread;

	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, fork_often, NULL);
	usleep(4000);
}

static void end_often(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			fork_for_a_while();
			kill(getpid(), i % 2 ? SIGKILL : SIGTERM);
			pause();
		}
		waitpid(pid, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	const long n = argc > 2 ? atol(argv[2]) : 0;
	char number[24];

	if (n && strcmp(argv[1], "exec") == 0) {
		fork_for_a_while();
		snprintf(number, sizeof(number), "%ld", n - 1);
		execl("/proc/self/exe", argv[0], argv[1], number, NULL);
		return 1;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	end_often(n);
	while (wait(NULL) > 0)
		;
	puts("all have ended");
	return 0;
}
