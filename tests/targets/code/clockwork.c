/* SPDX-License-Identifier: MIT */
/*
 * Four threads that call when() with the clock that D's timestamp is. Prints "when N", the
 * calls of all.
 */
#include "../truth.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 4, CALLS = 40000 };

KEEP long when(long now)
{
	return now + 1;
}

static long monotonic_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *work(void *arg)
{
	for (int i = 0; i < CALLS; i++)
		when(monotonic_now());
	return arg;
}

int main(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("when %d\n", THREADS * CALLS);
	return 0;
}
