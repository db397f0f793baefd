/* SPDX-License-Identifier: MIT */
/*
 * A thread that always computes, "steady", while the main thread, "bursts", computes for 2 ms
 * of processor time and sleeps 5 ms, argv[1] times (200).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "../truth.h"

static atomic_bool is_over;

KEEP void *steady(void *arg)
{
	volatile unsigned long v = 0;

	prctl(PR_SET_NAME, "steady");
	while (!atomic_load_explicit(&is_over, memory_order_relaxed))
		v = v + 1;
	return arg;
}

static long long used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

KEEP void burst(void)
{
	const long long until = used() + 2000000;
	volatile unsigned long v = 0;

	while (used() < until)
		for (int i = 0; i < 1000; i++)
			v = v + 1;
}

int main(int argc, char **argv)
{
	const struct timespec pause = {0, 5000000};
	int n = argc > 1 ? atoi(argv[1]) : 200;
	pthread_t t;

	prctl(PR_SET_NAME, "bursts");
	pthread_create(&t, NULL, steady, NULL);
	while (n-- > 0) {
		burst();
		nanosleep(&pause, NULL);
	}
	atomic_store(&is_over, 1);
	pthread_join(t, NULL);
	return 0;
}
