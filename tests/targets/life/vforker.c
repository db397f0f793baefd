/* SPDX-License-Identifier: MIT */
/*
 * vfork and exec, posix_spawn, and a vfork child that exits without exec. The
 * vfork child calls a traced function in the memory it shares.
 */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

extern char **environ;

static unsigned long n_work, n_vforked, n_spawned;

KEEP long work(long v)
{
	hit(&n_work);
	return v + 1;
}

/* Runs in the vfork child: shares our memory, must survive its breakpoint. */
KEEP int in_child(int v)
{
	return v * 2;
}

KEEP int vforked(int execute)
{
	char *const argv[] = {"true", NULL};
	int status;
	pid_t pid;

	hit(&n_vforked);
	pid = vfork();
	if (pid == 0) {
		if (execute)
			execve("/bin/true", argv, environ);
		_exit(in_child(4));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

KEEP int spawned(void)
{
	char *const argv[] = {"false", NULL};
	int status;
	pid_t pid;

	hit(&n_spawned);
	if (posix_spawn(&pid, "/bin/false", NULL, NULL, argv, environ))
		return -1;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 20; i++) {
		work(i);
		sum += vforked(1);
		sum += 100 * vforked(0);
		sum += 10000 * spawned();
		work(i);
	}
	printf("sum=%ld\n", sum);
	truth("work", &n_work);
	truth("vforked", &n_vforked);
	truth("spawned", &n_spawned);
	return 0;
}
