/* SPDX-License-Identifier: MIT */
/*
 * Its main thread sleeps in vfork(2), for argv[1] seconds, while another one computes.
 * Says so, and ends with the number of seconds.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

static atomic_bool is_working;

KEEP long work(long v)
{
	return v * 3 + 1;
}

static void *worker(void *arg)
{
	volatile long v = 0;

	atomic_store(&is_working, 1);
	for (;;)
		v = work(v);
	return arg;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 3;
	int status = 0;
	pthread_t t;
	pid_t pid;

	pthread_create(&t, NULL, worker, NULL);
	while (!atomic_load(&is_working))
		sched_yield();
	pid = vfork();
	if (pid == 0) {
		sleep(seconds);
		_exit((int)seconds);
	}
	waitpid(pid, &status, 0);
	printf("slept %d\n", WEXITSTATUS(status));
	return WEXITSTATUS(status);
}
