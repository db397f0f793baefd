/* SPDX-License-Identifier: MIT */
/*
 * A program to attach to that does nothing unasked: for each number that it reads it
 * calls work() so many times and prints "text same|changed work CALLS", its text compared
 * with its checksum from the start. Ends with 3 when there is nothing more to read.
 *
 * gate twin: another process calls twin() all the time in the same memory. It ends with 4
 * if that has ended.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
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

KEEP long twin(long v)
{
	return v * 5 + 1;
}

static int call_twin(void *arg)
{
	for (long v = 0;; v++) {
		twin(v);
		usleep(100);
	}
	return arg != NULL;
}

int main(int argc, char **argv)
{
	const uint64_t before = checksum();
	static char stack[65536] __attribute__((aligned(16)));
	pid_t other = 0;
	long turns;

	(void)argv;
	if (argc > 1)
		other = clone(call_twin, stack + sizeof(stack), CLONE_VM | SIGCHLD,
			      NULL);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (scanf("%ld", &turns) == 1) {
		for (long i = 0; i < turns; i++)
			work(i);
		printf("text %s work %lu\n", checksum() == before ? "same" : "changed",
		       n_work);
		fflush(stdout);
	}
	if (other && waitpid(other, NULL, WNOHANG) != 0)
		return 4;
	if (other)
		kill(other, SIGKILL);
	return 3;
}
