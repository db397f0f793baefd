/* SPDX-License-Identifier: MIT */
/*
 * launcher exec|fork|vfork|spawn TURNS PROGRAM ARGUMENTS: executes the program itself or in
 * so many children, one after the other, and calls work() before each. Ends with the
 * number of children that ended with 0.
 */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

extern char **environ;

static unsigned long n_work;

KEEP long work(long v)
{
	hit(&n_work);
	return v + 1;
}

static pid_t launch(const char *how, char **argv)
{
	pid_t pid = -1;

	if (strcmp(how, "spawn") == 0)
		return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) ? -1 : pid;
	if (strcmp(how, "fork") == 0)
		pid = fork();
	else
		pid = strcmp(how, "vfork") == 0 ? vfork() : 0;
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	int good = 0;

	if (argc < 4)
		return 100;
	for (int i = 0; i < atoi(argv[2]); i++) {
		int status = -1;

		work(i);
		waitpid(launch(argv[1], argv + 3), &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	truth("work", &n_work);
	return good;
}
