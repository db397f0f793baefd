/* SPDX-License-Identifier: MIT */
/*
 * What others are traced beside: says "ready", waits for a byte, then calls work() argv[1]
 * times, one each millisecond, and prints how many calls it made and the longest one, in
 * microseconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

KEEP long work(long v)
{
	return v * 3 + 1;
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static volatile long sum; /* keeps the calls */

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	uint64_t longest = 0;
	char c;

	if (write(STDOUT_FILENO, "ready\n", 6) < 0 || read(STDIN_FILENO, &c, 1) != 1)
		return 1;
	for (long i = 0; i < n; i++) {
		uint64_t begin = now_us(), took;

		sum += work(i);
		took = now_us() - begin;
		longest = took > longest ? took : longest;
		usleep(1000);
	}
	printf("%ld %llu\n", n, (unsigned long long)longest);
	return 0;
}
