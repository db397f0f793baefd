/* SPDX-License-Identifier: MIT */
/*
 * A process with children of the kind argv[1] names. Each member calls work() a number
 * of times that tells it from the others:
 *
 *	fork	1 itself, 10 a child that it waits for, 100 the child of that
 *	exec	the same, but the child executes this program as "leaf"
 *	vfork, spawn, clone	the same, by vfork(2), posix_spawn(3), clone(2) sharing memory
 *	leaf	100
 *	last	1 itself, and ends; 10 its child, when that has become an orphan
 *	stop	1 itself; 10 its child, which stops itself first and is continued
 *	kill	1 itself; 10 its child, which is killed by a signal then
 *	many	10 each of argv[2] children, one after the other
 *	crowd	at SIGUSR1 CROWD children, that call work() until the parent gets SIGTERM:
 *		then each looks whether its text is what the parent's was at the start
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

#define CROWD 12

extern const unsigned char __executable_start[], etext[];
extern char **environ;

static volatile sig_atomic_t is_over;
static char *self;

KEEP long work(long v)
{
	return v * 3 + 1;
}

static void work_times(int n)
{
	volatile long v = 1;

	while (n-- > 0)
		v = work(v);
}

static void nap(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static char *leaf_argv[] = {NULL, "leaf", NULL};

static int do_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work_times(10);
		pid = fork();
		if (pid == 0) {
			work_times(100);
			_exit(0);
		}
		_exit(wait_for(pid) != 0);
	}
	return wait_for(pid);
}

static int do_exec(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work_times(10);
		execv(self, leaf_argv);
		_exit(1);
	}
	return wait_for(pid);
}

static int do_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv(self, leaf_argv);
		_exit(1);
	}
	return wait_for(pid);
}

static int do_spawn(void)
{
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, leaf_argv, environ))
		return 1;
	return wait_for(pid);
}

static int in_clone(void *arg)
{
	execv(arg, leaf_argv);
	return 1;
}

static int do_clone(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	return wait_for(
		clone(in_clone, stack + sizeof(stack), CLONE_VM | SIGCHLD, self));
}

static int do_last(void)
{
	pid_t parent = getpid();

	if (fork() == 0) {
		while (getppid() == parent)
			nap(1);
		nap(100);
		work_times(10);
		_exit(0);
	}
	return 0;
}

static int do_stop(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		raise(SIGSTOP);
		work_times(10);
		_exit(0);
	}
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		return 1;
	kill(pid, SIGCONT);
	return wait_for(pid);
}

static int do_kill(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		work_times(10);
		kill(getpid(), SIGKILL);
	}
	status = wait_for(pid);
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
}

static int do_many(int n)
{
	int bad = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			work_times(10);
			_exit(17);
		}
		bad += WEXITSTATUS(wait_for(pid)) != 17;
	}
	return bad;
}

static uint64_t checksum(void)
{
	uint64_t h = 14695981039346656037u;

	for (const unsigned char *p = __executable_start; p < etext; p++)
		h = (h ^ *p) * 1099511628211u;
	return h;
}

static void on_signal(int sig)
{
	(void)sig;
	is_over = 1;
}

static void crowd_child(uint64_t text)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!is_over) {
		work_times(1);
		nap(1);
	}
	_exit(checksum() == text ? 0 : 1);
}

static int do_crowd(void)
{
	const uint64_t text = checksum();
	pid_t pids[CROWD];
	int good = 0;

	signal(SIGTERM, on_signal);
	signal(SIGUSR1, on_signal);
	while (!is_over)
		nap(1);
	is_over = 0;
	for (int i = 0; i < CROWD; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			crowd_child(text);
		nap(25);
	}
	while (!is_over) {
		work_times(1);
		nap(1);
	}
	for (int i = 0; i < CROWD; i++) {
		kill(pids[i], SIGTERM);
		good += wait_for(pids[i]) == 0;
	}
	printf("text %s children %d\n", checksum() == text ? "same" : "changed", good);
	return good != CROWD;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*function)(void);
	} kinds[] = {
		{"fork", do_fork},   {"exec", do_exec},	  {"vfork", do_vfork},
		{"spawn", do_spawn}, {"clone", do_clone}, {"last", do_last},
		{"stop", do_stop},   {"kill", do_kill},	  {"crowd", do_crowd},
	};

	self = leaf_argv[0] = argv[0];
	if (argc > 1 && strcmp(argv[1], "leaf") == 0) {
		work_times(100);
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "many") == 0)
		return do_many(atoi(argv[2]));
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]))
			continue;
		work_times(1);
		return kinds[i].function() != 0;
	}
	fprintf(stderr, "family: what kind?\n");
	return 2;
}
