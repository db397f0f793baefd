/* SPDX-License-Identifier: MIT */
/*
 * stopper [THREADS]: they call without an end, and a timer's signals interrupt them.
 * Job control must stop them all the same.
 */
#include "../truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;

KEEP void on_alarm(int sig)
{
	(void)sig;
	alarms = alarms + 1;
}

KEEP int deep(int levels)
{
	volatile char room[600];

	room[0] = (char)levels;
	return levels ? deep(levels - 1) + room[0] : 0;
}

static void *run(void *unused)
{
	for (;;)
		deep(20);
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	struct itimerval every = {{0, 3000}, {0, 3000}};
	pthread_t thread;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, run, NULL))
			return 1;
	run(NULL);
}
