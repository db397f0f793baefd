/* SPDX-License-Identifier: MIT */
/*
 * A program to attach to that does nothing unasked: for each number that it reads it
 * calls work() so many times and prints "text same|changed work CALLS", its text compared
 * with its checksum from the start. Ends with 3 when there is nothing more to read.
 */
#include <stdint.h>
#include <unistd.h>

#include "../truth.h"

extern const unsigned char __executable_start[], etext[];

static unsigned long n_work;

KEEP long work(long v)
{
	hit(&n_work);
	return v * 3 + 1;
}

KEEP uint64_t checksum(void)
{
	uint64_t h = 14695981039346656037u;

	for (const unsigned char *p = __executable_start; p < etext; p++)
		h = (h ^ *p) * 1099511628211u;
	return h;
}

int main(void)
{
	const uint64_t before = checksum();
	long turns;

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (scanf("%ld", &turns) == 1) {
		for (long i = 0; i < turns; i++)
			work(i);
		printf("text %s work %lu\n", checksum() == before ? "same" : "changed",
		       n_work);
		fflush(stdout);
	}
	return 3;
}
