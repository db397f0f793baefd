/* SPDX-License-Identifier: MIT */
/*
 * leaderless: its first thread ends, another one prints a line, waits for input
 * and executes echo.
 *
 * leaderless now: the same, without the wait.
 */
#include "../truth.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

KEEP void work(int i)
{
	__asm__ volatile("" ::"r"(i));
}

/* The first thread has ended, and stays as a zombie. */
static int is_leader_over(void)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	f = fopen(path, "r");
	if (!f)
		return 1;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'Z';
}

static void *run(void *is_now)
{
	char c;

	while (!is_leader_over())
		sched_yield();
	puts("ready");
	fflush(stdout);
	if (!is_now && read(0, &c, 1) != 1)
		return NULL;
	work(1);
	execl("/bin/echo", "echo", "executed", (char *)NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, argc > 1 ? argv[1] : NULL))
		return 1;
	pthread_exit(NULL);
}
