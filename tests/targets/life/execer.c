/* SPDX-License-Identifier: MIT */
/*
 * Calls before(), then executes argv[1] with the remaining arguments. With "later" in front
 * of them it naps first, until SIGUSR1.
 */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

static volatile sig_atomic_t is_called;

KEEP int before(int v)
{
	return v + 1;
}

static void on_signal(int sig)
{
	(void)sig;
	is_called = 1;
}

static void await_signal(void)
{
	const struct timespec nap = {0, 10000000};
	const struct sigaction sa = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &sa, NULL);
	while (!is_called)
		nanosleep(&nap, NULL);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 7; i++)
		before(i);
	if (argc > 1 && strcmp(argv[1], "later") == 0) {
		await_signal();
		argc--;
		argv++;
	}
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 1;
}
