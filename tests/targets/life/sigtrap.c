/* SPDX-License-Identifier: MIT */
/*
 * Hits probes with a handler for SIGTRAP, and sends itself a SIGTRAP of its own:
 * it must see exactly what it sees untraced. With an argument: hits probes while
 * SIGTRAP is ignored, then while it is blocked. There the kernel resets the action
 * and the mask before a tracer hears of the hit, so only calls are compared.
 */
#include <pthread.h>
#include <signal.h>

#include "../truth.h"

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

KEEP void closed(const sigset_t *trap)
{
	signal(SIGTRAP, SIG_IGN);
	turns(100);
	pthread_sigmask(SIG_BLOCK, trap, NULL);
	turns(100);
	signal(SIGTRAP, SIG_DFL);
	turns(100);
}

KEEP void handled(const sigset_t *trap)
{
	/* SA_NODEFER: the handler, which is traced, must not run with SIGTRAP blocked */
	const struct sigaction sa = {.sa_handler = on_trap, .sa_flags = SA_NODEFER};
	sigset_t pending;

	sigaction(SIGTRAP, &sa, NULL);
	turns(100);
	raise(SIGTRAP);
	printf("%s, blocked %d\n", action(), is_blocked());
	/* held back while no probe is hit, then delivered */
	pthread_sigmask(SIG_BLOCK, trap, NULL);
	raise(SIGTRAP);
	sigpending(&pending);
	pthread_sigmask(SIG_UNBLOCK, trap, NULL);
	printf("pending=%d\n", sigismember(&pending, SIGTRAP));
	turns(100);
}

int main(int argc, char **argv)
{
	sigset_t trap;

	(void)argv;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	if (argc > 1)
		closed(&trap);
	else
		handled(&trap);
	truth("work", &n_work);
	truth("on_trap", &n_on_trap);
	return 0;
}
