/* SPDX-License-Identifier: MIT */
/*
 * heirs ROUNDS: four threads call work() some times and make a thread at once, ROUNDS times
 * each.
 * Prints how many of those new threads may use fewer CPUs than the program.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAKERS = 4, CALLS = 8 };

static int rounds, ncpus;
static atomic_int narrow;

__attribute__((noinline)) int work(int v)
{
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

static int own_cpus(void)
{
	cpu_set_t mask;

	return sched_getaffinity(0, sizeof(mask), &mask) ? 0 : CPU_COUNT(&mask);
}

static void *heir(void *unused)
{
	narrow += own_cpus() < ncpus;
	return unused;
}

static void *make(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		pthread_t thread;

		for (int n = 0; n < CALLS; n++)
			work(i);
		if (pthread_create(&thread, NULL, heir, NULL) ||
		    pthread_join(thread, NULL))
			exit(1);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t makers[MAKERS];

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	ncpus = own_cpus();
	for (int i = 0; i < MAKERS; i++)
		if (pthread_create(&makers[i], NULL, make, NULL))
			return 1;
	for (int i = 0; i < MAKERS; i++)
		pthread_join(makers[i], NULL);
	printf("narrow %d\n", narrow);
	return 0;
}
