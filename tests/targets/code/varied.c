/* SPDX-License-Identifier: MIT */
/*
 * A little of everything that a tracer has to follow, always the same: calls, a handled
 * signal, a thread, a fork, a spawned program, a library (argv[1]), an exec. Prints
 * one line for each; the last one is "good".
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

KEEP long work(long v)
{
	return v * 3 + 1;
}

/* With a loop, memory accesses and a call: every instruction is traced. */
KEEP long mix(const long *list, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += work(list[i]) ^ i;
	return sum;
}

KEEP void on_signal(int sig)
{
	(void)sig;
	work(1);
}

static void *thread(void *arg)
{
	return (void *)work((long)arg);
}

static void say(const char *what, long v)
{
	printf("%s %ld\n", what, v);
	fflush(stdout);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void children(void)
{
	char *argv[] = {"true", NULL};
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)work(5));
	say("fork", wait_for(pid));
	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL) == 0)
		say("spawn", wait_for(pid));
}

static void library(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	long (*plugged)(long) = lib ? (long (*)(long))dlsym(lib, "plugged") : NULL;

	if (plugged)
		say("library", plugged(3));
	if (lib)
		dlclose(lib);
}

int main(int argc, char **argv)
{
	static const long list[] = {3, 1, 4, 1, 5};
	pthread_t t;
	void *result;

	say("mix", mix(list, 5));
	if (argc < 2) {
		printf("good\n");
		return 0;
	}
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	pthread_create(&t, NULL, thread, (void *)7);
	pthread_join(t, &result);
	say("thread", (long)result);
	children();
	library(argv[1]);
	execl("/proc/self/exe", "varied", (char *)NULL);
	return 1;
}
