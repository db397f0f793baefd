/* SPDX-License-Identifier: MIT */
/*
 * Steps through its own calls by the trap flag, as programs do that look for debuggers: a
 * handler gets a SIGTRAP after each instruction. An instruction that runs elsewhere may
 * be one step with its neighbours, so the number of steps is the program's truth and
 * not what it prints untraced.
 */
#include <signal.h>

#include "../truth.h"

static unsigned long n_work, n_stepped, n_on_trap;

KEEP long work(long v)
{
	hit(&n_work);
	return v * 3 + 1;
}

KEEP void on_trap(int sig)
{
	(void)sig;
	hit(&n_on_trap);
}

/* Two calls, step by step; what comes before and after the flag is in one function. */
KEEP long stepped(long v)
{
	hit(&n_stepped);
	__asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" : : : "memory", "cc");
	v = work(v);
	v = work(v);
	__asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq" : : : "memory", "cc");
	return v;
}

int main(void)
{
	/* SA_NODEFER: the handler, which is traced, must not run with SIGTRAP blocked */
	const struct sigaction sa = {.sa_handler = on_trap, .sa_flags = SA_NODEFER};
	long v = 1;

	sigaction(SIGTRAP, &sa, NULL);
	for (int i = 0; i < 20; i++)
		v = stepped(v) % 1000;
	printf("v=%ld, %s\n", v, n_on_trap > 100 ? "in steps" : "at once");
	truth("work", &n_work);
	truth("stepped", &n_stepped);
	truth("on_trap", &n_on_trap);
	return 0;
}
