/* SPDX-License-Identifier: MIT */
/* Two coroutines by swapcontext: frames of several stacks interleave. */
#include <ucontext.h>

#include "../truth.h"

static ucontext_t home, first, second;
static char first_stack[64 * 1024], second_stack[64 * 1024];
static unsigned long n_step, n_left, n_right, n_hop;
static long sum, n;

KEEP void step(long v)
{
	hit(&n_step);
	sum += v;
}

KEEP void hop(ucontext_t *from, ucontext_t *to)
{
	volatile int failed; /* keeps the call from becoming a jump */

	hit(&n_hop);
	failed = swapcontext(from, to);
	(void)failed;
}

KEEP void left(void)
{
	hit(&n_left);
	for (long i = 0; i < n; i++) {
		step(i);
		hop(&first, &second);
	}
}

KEEP void right(void)
{
	hit(&n_right);
	for (long i = 0; i < n; i++) {
		step(-2 * i);
		hop(&second, &first);
	}
}

int main(void)
{
	n = turns_of(500);
	getcontext(&first);
	first.uc_stack.ss_sp = first_stack;
	first.uc_stack.ss_size = sizeof(first_stack);
	first.uc_link = &home;
	makecontext(&first, left, 0);
	getcontext(&second);
	second.uc_stack.ss_sp = second_stack;
	second.uc_stack.ss_size = sizeof(second_stack);
	second.uc_link = &home;
	makecontext(&second, right, 0);
	swapcontext(&home, &first);
	printf("sum=%ld\n", sum);
	truth("step", &n_step);
	truth("hop", &n_hop);
	truth("left", &n_left);
	truth("right", &n_right);
	/* right never comes back from its last hop */
	truth_return("right", 0);
	truth_return("hop", n_hop - 1);
	return 0;
}
