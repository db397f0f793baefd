/* SPDX-License-Identifier: MIT */
/*
 * A program under load, to attach to: 8 threads calling work(), SIGALRM at
 * 1 kHz, a fork a second whose child calls work() too. On SIGUSR1 it prints
 * "text same|changed calls N children GOOD/ALL", where the text is compared
 * with its checksum from the start. Ends on SIGTERM, or after argv[1] seconds.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

#define THREADS 8
#define BATCH	100

extern const unsigned char __executable_start[], etext[];

static unsigned long n_work, n_on_alarm;
static int children, good_children;

KEEP long work(long v)
{
	hit(&n_work);
	return v * 3 + 1;
}

KEEP void on_alarm(int sig)
{
	(void)sig;
	hit(&n_on_alarm);
}

KEEP uint64_t checksum(void)
{
	uint64_t h = 14695981039346656037u;

	for (const unsigned char *p = __executable_start; p < etext; p++)
		h = (h ^ *p) * 1099511628211u;
	return h;
}

static void *worker(void *arg)
{
	const struct timespec pause = {0, 500000};
	volatile long v = 0;

	for (;;) {
		for (int i = 0; i < BATCH; i++)
			v = work(v);
		nanosleep(&pause, NULL);
	}
	return arg;
}

static void start(void)
{
	const struct itimerval khz = {{0, 1000}, {0, 1000}};
	struct sigaction sa;
	pthread_t t;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_alarm;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &sa, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t, NULL, worker, NULL);
	setitimer(ITIMER_REAL, &khz, NULL);
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

int main(int argc, char **argv)
{
	const struct timespec second = {1, 0};
	long seconds = argc > 1 ? atol(argv[1]) : 600;
	const uint64_t before = checksum();
	sigset_t set;

	/* The main thread only answers; the alarm goes to a worker. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	start();
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigdelset(&set, SIGALRM);

	while (seconds > 0) {
		int sig = sigtimedwait(&set, NULL, &second);

		if (sig == SIGTERM)
			break;
		if (sig == SIGUSR1) {
			printf("text %s calls %lu children %d/%d\n",
			       checksum() == before ? "same" : "changed",
			       __atomic_load_n(&n_work, __ATOMIC_RELAXED),
			       good_children, children);
			fflush(stdout);
		} else {
			fork_one();
			seconds--;
		}
	}
	return good_children == children ? 0 : 1;
}
