/* SPDX-License-Identifier: MIT */
/*
 * Hits probes with SIGTRAP ignored, then blocked, then handled, and sends
 * itself a SIGTRAP of its own: it must see exactly what it sees untraced.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "truth.h"

static unsigned long n_work, n_on_trap;

KEEP long work(long v)
{
	hit(&n_work);
	return v + 1;
}

KEEP void on_trap(int sig)
{
	(void)sig;
	hit(&n_on_trap);
}

static void turns(int n)
{
	while (n--)
		work(n);
}

static const char *action(void)
{
	struct sigaction sa;

	sigaction(SIGTRAP, NULL, &sa);
	if (sa.sa_handler == SIG_IGN)
		return "ignored";
	return sa.sa_handler == SIG_DFL ? "default" : "handled";
}

static int is_blocked(void)
{
	sigset_t set;

	pthread_sigmask(SIG_SETMASK, NULL, &set);
	return sigismember(&set, SIGTRAP);
}

int main(void)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);

	signal(SIGTRAP, SIG_IGN);
	turns(100);
	raise(SIGTRAP);
	printf("%s, blocked %d\n", action(), is_blocked());

	signal(SIGTRAP, on_trap);
	turns(100);
	raise(SIGTRAP);
	printf("%s, blocked %d\n", action(), is_blocked());

	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	turns(100);
	raise(SIGTRAP);
	turns(100);
	printf("%s, blocked %d\n", action(), is_blocked());
	pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
	turns(100);

	truth("work", &n_work);
	truth("on_trap", &n_on_trap);
	return 0;
}
