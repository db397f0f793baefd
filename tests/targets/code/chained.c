/* SPDX-License-Identifier: MIT */
/*
 * Follows its words: a number is work(), LIBRARY.so is loaded and its work() called,
 * "fork" leaves the rest to a child, and any other word is the program that is executed
 * with the rest. ROOM changes where the variables of work() are, and no address of code.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

KEEP int work(int n)
{
	static int calls;
	int twice = 2 * n;
	char room[ROOM];

	memset(room, n, sizeof(room));
	calls += room[0];
	return twice + calls;
}

#ifndef PLUGIN
static void plugged(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*call)(int) = NULL;

	if (library)
		*(void **)&call = dlsym(library, "work");
	if (!call)
		abort();
	call(100);
	dlclose(library);
}

static void forked(void)
{
	int status;
	pid_t pid = fork();

	if (pid)
		_exit(waitpid(pid, &status, 0) < 0 || status);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (*argv[i] >= '0' && *argv[i] <= '9')
			work(atoi(argv[i]));
		else if (strcmp(argv[i], "fork") == 0)
			forked();
		else if (strstr(argv[i], ".so"))
			plugged(argv[i]);
		else
			return execv(argv[i], argv + i);
	}
	return 0;
}
#endif
