/* SPDX-License-Identifier: MIT */
/* Executes itself argv[1] times, with some calls of work() between, and ends with 7. */
#include <stdlib.h>
#include <unistd.h>

#include "../truth.h"

KEEP long work(long v)
{
	return v * 3 + 1;
}

int main(int argc, char **argv)
{
	char number[24];
	long left = argc > 1 ? atol(argv[1]) : 0;

	for (int i = 0; i < 100; i++)
		work(i);
	if (left <= 0)
		return 7;
	snprintf(number, sizeof(number), "%ld", left - 1);
	execl(argv[0], argv[0], number, (char *)NULL);
	return 1;
}
