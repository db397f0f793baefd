/* SPDX-License-Identifier: MIT */
/*
 * leaderless: its first thread ends, another one prints a line, waits for input
 * and executes echo.
 */
#include "truth.h"

#include <pthread.h>
#include <unistd.h>

KEEP void work(int i)
{
	__asm__ volatile("" ::"r"(i));
}

static void *run(void *unused)
{
	char c;

	usleep(20000); /* the leader is a zombie by then */
	puts("ready");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return unused;
	work(1);
	execl("/bin/echo", "echo", "executed", (char *)NULL);
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	pthread_exit(NULL);
}
