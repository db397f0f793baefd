/* SPDX-License-Identifier: MIT */
/*
 * One function, mark(why), below frames of every kind:
 *
 *	1 plain calls without frame pointers	5 a signal handler
 *	2 a frame of variable size (alloca)	6 the same on an alternate stack
 *	3 a realigned frame of variable size	7 a call that does not return, the
 *	4 called back by the C library		  last instruction of its function
 *	8 a stack of an aligned size deeper than most are read at once
 *	9 too deep for any	10 through a pointer, tail-called on the way
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../truth.h"

static jmp_buf back;
static volatile int sink;

KEEP int mark(int why)
{
	sink += why;
	return why;
}

KEEP int inner(int why)
{
	return mark(why) + 1;
}

KEEP int middle(int why)
{
	return inner(why) * 2 + sink;
}

KEEP int variable(int n)
{
	char *room = alloca((size_t)n);

	memset(room, n, (size_t)n);
	return mark(2) + room[n / 2];
}

KEEP int realigned(int n)
{
	_Alignas(64) char wide[64];
	char *room = alloca((size_t)n);

	memset(room, n, (size_t)n);
	memset(wide, n, sizeof(wide));
	__asm__ volatile("" ::"r"(wide) : "memory");
	return mark(3) + room[n / 2] + wide[3];
}

static int is_greater(const void *a, const void *b)
{
	return mark(4) + *(const int *)a - *(const int *)b;
}

KEEP int sorted(void)
{
	int v[2] = {3, 1};

	qsort(v, 2, sizeof(v[0]), is_greater);
	return v[0];
}

static void on_signal(int sig)
{
	sink += mark(sig == SIGUSR1 ? 5 : 6);
}

KEEP int interrupted(int sig)
{
	return raise(sig) + sink;
}

KEEP __attribute__((noreturn)) void leave(void)
{
	mark(7);
	longjmp(back, 1);
}

KEEP __attribute__((noreturn)) void end(int why)
{
	sink += why;
	leave();
}

KEEP int large(void)
{
	volatile char room[40000];

	room[0] = room[39999] = (char)sink;
	return middle(8) + room[39999];
}

KEEP int deep(int n)
{
	int v = n ? deep(n - 1) : mark(9);

	__asm__ volatile("" ::: "memory"); /* or it becomes a loop */
	return v + 1;
}

KEEP int tail(int (*f)(int), int why)
{
	return f(why);
}

KEEP int pointed(void)
{
	return tail(inner, 10) + 1;
}

int main(void)
{
	static char room[65536];
	const stack_t alternate = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction on = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &on, NULL);
	sigaltstack(&alternate, NULL);
	on.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &on, NULL);
	sink += middle(1) + variable(100) + realigned(200) + sorted();
	sink += interrupted(SIGUSR1) + interrupted(SIGUSR2);
	if (!setjmp(back))
		end(7);
	sink += large() + deep(1500) + pointed();
	return 0;
}
