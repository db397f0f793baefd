/* SPDX-License-Identifier: MIT */
/*
 * Lives calmly, to be attached to again and again: two threads that call work() 50 times a
 * second, a fork in every tenth turn whose child calls it too. On SIGUSR1 it prints
 * "turns N children GOOD/ALL"; ends on SIGTERM.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

static const struct timespec turn = {0, 20000000};
static long turns;
static int children, good_children;

KEEP long work(long v)
{
	return v * 3 + 1;
}

KEEP long mix(long v)
{
	long sum = 0;

	for (int i = 0; i < 3; i++)
		sum += work(v + i) ^ i;
	return sum;
}

static void *worker(void *arg)
{
	for (;;) {
		work(1);
		nanosleep(&turn, NULL);
	}
	return arg;
}

static void fork_one(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(work(2) == 7 ? 0 : 1);
	waitpid(pid, &status, 0);
	children++;
	good_children += WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void one_turn(void)
{
	mix(turns);
	if (turns++ % 10 == 0)
		fork_one();
}

int main(void)
{
	sigset_t set;
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, worker, NULL);
	for (;;) {
		int sig = sigtimedwait(&set, NULL, &turn);

		if (sig == SIGTERM)
			return good_children == children ? 0 : 1;
		if (sig == SIGUSR1) {
			printf("turns %ld children %d/%d\n", turns, good_children,
			       children);
			fflush(stdout);
		} else {
			one_turn();
		}
	}
}
