/* SPDX-License-Identifier: MIT */
/*
 * Forks every 100 calls. The child calls the traced functions too: no probe
 * may be left in it (it would die of SIGTRAP) and nothing it does is counted.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

static unsigned long n_work, n_child;

KEEP long work(long v)
{
	hit(&n_work);
	return v + 1;
}

KEEP long only_child(long v)
{
	hit(&n_child);
	return v - 1;
}

static int child(void)
{
	long v = 0;

	for (int i = 0; i < 50; i++)
		v += work(i) + only_child(i);
	return v == 2450 ? 17 : 1;
}

int main(void)
{
	int good = 0;

	for (int i = 0; i < 2000; i++) {
		int status;
		pid_t pid;

		work(i);
		if (i % 100)
			continue;
		pid = fork();
		if (pid == 0)
			_exit(child());
		waitpid(pid, &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == 17;
	}
	printf("children=%d\n", good);
	truth("work", &n_work);
	truth("only_child", &n_child);
	return good == 20 ? 0 : 1;
}
