/* SPDX-License-Identifier: MIT */
/*
 * Two threads that compute in functions of their own while a third and the main
 * thread sleep, for argv[1] milliseconds (1000).
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "../truth.h"

static atomic_bool is_over;

KEEP void *spin_one(void *arg)
{
	volatile unsigned long v = 0;

	prctl(PR_SET_NAME, "one");
	while (!atomic_load_explicit(&is_over, memory_order_relaxed))
		v = v + 1;
	return arg;
}

KEEP void *spin_two(void *arg)
{
	volatile unsigned long v = 0;

	prctl(PR_SET_NAME, "two");
	while (!atomic_load_explicit(&is_over, memory_order_relaxed))
		v = v + 1;
	return arg;
}

KEEP void *sleeper(void *arg)
{
	nanosleep(arg, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 1000;
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	pthread_t t[3];

	pthread_create(&t[0], NULL, spin_one, NULL);
	pthread_create(&t[1], NULL, spin_two, NULL);
	pthread_create(&t[2], NULL, sleeper, &time);
	nanosleep(&time, NULL);
	atomic_store(&is_over, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
