/* SPDX-License-Identifier: MIT */
/* Waits for signals that it sends itself: three of one kind, then in vain. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

int main(void)
{
	const struct timespec soon = {0, 1000000};
	sigset_t set;
	int sig = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++) {
		kill(getpid(), SIGUSR1);
		sigwait(&set, &sig);
	}
	kill(getpid(), SIGUSR2);
	sigwaitinfo(&set, NULL);
	return sigtimedwait(&set, NULL, &soon) == SIGUSR1;
}
