/* SPDX-License-Identifier: MIT */
/*
 * floor [kept] ADDRESS PROGRAM ARGS...: the least that a breakpoint can cost. Tracer and
 * program share one CPU for good, the registers are read, rip is moved over the
 * endbr64 at ADDRESS, and the thread goes on. Prints the number of hits on stderr.
 *
 * kept: the least of a tracer that leaves the program's affinities alone. The scheduler
 * wakes a thread on the tracer's CPU because its mask is narrowed for that moment: read
 * before, as the program can have changed it, and after, as the thread can have run by
 * then and changed it.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDBR64_SIZE = 4 };

static unsigned long address;
static unsigned long hits;
static int is_kept;
static cpu_set_t all, only;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* To the last CPU that we may use: interrupts prefer the first. */
static void pin(void)
{
	int last = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		fail("sched_getaffinity");
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			last = i;
	CPU_ZERO(&only);
	CPU_SET(last, &only);
	if (sched_setaffinity(0, sizeof(only), &only))
		fail("sched_setaffinity");
}

static void plant(pid_t pid)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, address, 0);
	if (errno)
		fail("PTRACE_PEEKTEXT");
	if ((unsigned)word != 0xfa1e0ff3) {
		fprintf(stderr, "floor: no endbr64 at %lx\n", address);
		exit(1);
	}
	word = (word & ~0xffL) | 0xcc;
	if (ptrace(PTRACE_POKETEXT, pid, address, word) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL))
		fail("PTRACE_POKETEXT");
}

/* The signal to go on with. */
static int handle_stop(pid_t tid, int status)
{
	struct user_regs_struct regs;

	if (status >> 16 || WSTOPSIG(status) == SIGSTOP)
		return 0; /* a clone, or a new thread's first stop */
	if (WSTOPSIG(status) != SIGTRAP)
		return WSTOPSIG(status);
	if (ptrace(PTRACE_GETREGS, tid, 0, &regs))
		fail("PTRACE_GETREGS");
	if (regs.rip != address + 1)
		return SIGTRAP;
	hits++;
	if (ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rip),
		   address + ENDBR64_SIZE))
		fail("PTRACE_POKEUSER");
	return 0;
}

static void go_on(pid_t tid, int sig)
{
	cpu_set_t mask, now;

	if (is_kept && (sched_getaffinity(tid, sizeof(mask), &mask) ||
			sched_setaffinity(tid, sizeof(only), &only)))
		return; /* it has been killed */
	ptrace(PTRACE_CONT, tid, 0, (long)sig);
	if (is_kept && !sched_getaffinity(tid, sizeof(now), &now) &&
	    CPU_EQUAL(&now, &only))
		sched_setaffinity(tid, sizeof(mask), &mask);
}

int main(int argc, char **argv)
{
	int status = 0;
	pid_t pid, tid;

	is_kept = argc > 1 && !strcmp(argv[1], "kept");
	argc -= is_kept;
	argv += is_kept;
	if (argc < 3)
		return 2;
	address = strtoul(argv[1], NULL, 16);
	pin();
	pid = fork();
	if (pid == 0) {
		if (is_kept)
			sched_setaffinity(0, sizeof(all), &all);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		fail(argv[2]);
	plant(pid);
	go_on(pid, 0);
	while ((tid = waitpid(-1, &status, __WALL)) > 0)
		if (WIFSTOPPED(status))
			go_on(tid, handle_stop(tid, status));
	fprintf(stderr, "hits %lu\n", hits);
	return 0;
}
