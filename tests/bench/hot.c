/* SPDX-License-Identifier: MIT */
/*
 * hot CALLS THREADS: calls hot() CALLS times in all and prints the time it took.
 * hot spin: keeps one CPU busy until it is killed.
 *
 * hot() begins with endbr64, which a tracer can emulate by moving rip alone: the
 * floor then has nothing to do beyond the stop itself.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

long hot(long v);
__asm__(".pushsection .text\n"
	".globl hot\n.type hot, @function\n"
	"hot:\n\tendbr64\n\tlea 1(%rdi), %rax\n\tret\n"
	".size hot, . - hot\n.popsection\n");

static long calls_each;
static pthread_barrier_t together;

static void *work(void *arg)
{
	long v = 0;

	pthread_barrier_wait(&together);
	for (long i = 0; i < calls_each; i++)
		v = hot(v);
	return v == calls_each ? NULL : arg;
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t t[64];
	long long start;

	if (argc > 1 && !strcmp(argv[1], "spin"))
		for (;;)
			;
	if (argc != 3 || threads < 1 || threads > 64)
		return 2;
	calls_each = atol(argv[1]) / threads;
	pthread_barrier_init(&together, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, &t[i]);
	start = now();
	pthread_barrier_wait(&together);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("calls %ld ns %lld\n", calls_each * threads, now() - start);
	return 0;
}
