/* SPDX-License-Identifier: MIT */
/*
 * Calls functions under a SIGALRM of 1 kHz whose handler calls one as well. A
 * second signal, on an alternate stack, is raised by the program itself.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "../truth.h"

static unsigned long n_calc, n_on_alarm, n_in_handler, n_on_user;
static char alternate[64 * 1024];

KEEP long calc(long v)
{
	hit(&n_calc);
	return v ^ (v << 1);
}

KEEP void in_handler(void)
{
	hit(&n_in_handler);
}

KEEP void on_alarm(int sig)
{
	(void)sig;
	hit(&n_on_alarm);
	in_handler();
}

KEEP void on_user(int sig)
{
	(void)sig;
	hit(&n_on_user);
	in_handler();
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = flags;
	sigaction(sig, &sa, NULL);
}

int main(void)
{
	const struct itimerval khz = {{0, 1000}, {0, 1000}};
	const struct itimerval off = {{0, 0}, {0, 0}};
	const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	const long ncalls = turns_of(20000), nalarms = turns_of(300);
	long v = 1;

	sigaltstack(&stack, NULL);
	handle(SIGALRM, on_alarm, SA_RESTART);
	handle(SIGUSR1, on_user, SA_ONSTACK);
	setitimer(ITIMER_REAL, &khz, NULL);
	/* whichever takes longer */
	for (long i = 0; i < ncalls || n_on_alarm < (unsigned long)nalarms; i++) {
		v = calc(v);
		if (i % 1000 == 0 && i < 20000)
			raise(SIGUSR1);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	handle(SIGALRM, SIG_IGN, 0);
	truth("calc", &n_calc);
	truth("on_alarm", &n_on_alarm);
	truth("on_user", &n_on_user);
	truth("in_handler", &n_in_handler);
	truth_return("calc", n_calc);
	truth_return("on_alarm", n_on_alarm);
	return v == 42;
}
