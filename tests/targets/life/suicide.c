/* SPDX-License-Identifier: MIT */
/*
 * Calls work() argv[1] times in each of argv[2] (1) threads and kills itself with SIGKILL at
 * once. With a third argument it says "ready" and waits for a byte before.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../truth.h"

#define MOST_THREADS 64

static long turns;
static pthread_barrier_t begun, done;

KEEP long work(long v)
{
	return v * 3 + 1;
}

static void *worker(void *arg)
{
	volatile long v = 0;

	pthread_barrier_wait(&begun);
	for (long i = 0; i < turns; i++)
		v = work(v);
	pthread_barrier_wait(&done);
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t t;
	char c;

	turns = argc > 1 ? atol(argv[1]) : 1;
	if (n < 1 || n > MOST_THREADS)
		return 1;
	if (argc > 3) {
		puts("ready");
		fflush(stdout);
		if (read(STDIN_FILENO, &c, 1) != 1)
			return 1;
	}
	pthread_barrier_init(&begun, NULL, (unsigned)n);
	pthread_barrier_init(&done, NULL, (unsigned)n);
	for (int i = 1; i < n; i++)
		pthread_create(&t, NULL, worker, NULL);
	pthread_barrier_wait(&begun);
	for (long i = 0; i < turns; i++)
		work(i);
	pthread_barrier_wait(&done);
	kill(getpid(), SIGKILL);
	return 0;
}
