/* SPDX-License-Identifier: MIT */
/*
 * Behaves otherwise when traced otherwise. "jump": if a jump is in its text, it calls
 * counted() once more, and given() and told() with other numbers. "again FILE": it calls
 * counted() as often as it was run with that file, and given() with its process id.
 * "second FILE": so it does given() in the second run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../truth.h"

#define JUMP 0xe9

static unsigned long n_counted, n_given, n_told;

KEEP long counted(long v)
{
	hit(&n_counted);
	return v;
}

KEEP long given(long a, long b)
{
	hit(&n_given);
	return a + b;
}

KEEP long told(long v)
{
	hit(&n_told);
	return v * 3;
}

KEEP long same(long v)
{
	return v + 1;
}

/* No instruction names the bytes that are read: there would be no jump over them. */
static long (*volatile shown)(long) = same;

static int has_jump(void)
{
	const volatile unsigned char *text = (const volatile unsigned char *)shown;

	return text[0] == JUMP;
}

/* How often it was run with that file. */
static long run_number(const char *path)
{
	FILE *f = fopen(path, "a");
	long n;

	if (!f)
		return 1;
	fputc('x', f);
	n = ftell(f);
	fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	int is_again = argc > 2 && strcmp(argv[1], "again") == 0;
	int is_second =
		argc > 2 && strcmp(argv[1], "second") == 0 && run_number(argv[2]) == 2;
	int is_jump = argc > 1 && strcmp(argv[1], "jump") == 0 && has_jump();
	long calls = is_again ? run_number(argv[2]) : 3 + is_jump;
	long sum = same(5);

	for (long i = 0; i < calls; i++)
		sum += counted(1);
	sum += given(7, is_again ? getpid() : is_jump + is_second);
	sum += told(10 + is_jump);
	printf("sum=%ld\n", is_again ? 0 : sum);
	truth("counted", &n_counted);
	return 0;
}
