/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/stop_cost.h"
#include "tracer/keeper/os/ptrace.h"
#include "vm/base/host/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOPS 129
#define COLD  16 /* the first ones */

/* The child: waits until it is traced, then stops again and again. */
_Noreturn static void stop_for_ever(const int go[2])
{
	char byte;

	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(1);
	for (;;)
		syscall(SYS_kill, getpid(), SIGTRAP);
}

static bool next_stop(int pid)
{
	int status, got;

	while ((got = waitpid(pid, &status, __WALL)) < 0 && errno == EINTR)
		;
	return got == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

/* What each hit needs: the registers, and another pc. *gone: when it goes on. */
static bool go_on(struct cpu *cpu, int pid, uint64_t *gone)
{
	struct regs regs;

	if (pt_regs(pid, &regs) < 0 || pt_set_pc(pid, taddr_of(regs_pc(&regs))) < 0)
		return false;
	*gone = clock_now_ns();
	return cpu_cont(cpu, pid, *gone) == 0;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static struct keeper_stop_cost measure(struct cpu *cpu, int pid)
{
	uint64_t took[STOPS], last = 0, gone = 0;
	struct keeper_stop_cost cost = {.way = UINT64_MAX};

	for (int i = 0; i < COLD + STOPS; i++) {
		uint64_t now;

		if (!next_stop(pid))
			return (struct keeper_stop_cost){0};
		now = clock_now_ns();
		if (i >= COLD) {
			took[i - COLD] = now - last;
			cost.way = min_u64(cost.way, now - gone);
		}
		last = now;
		if (!go_on(cpu, pid, &gone))
			return (struct keeper_stop_cost){0};
	}
	qsort(took, STOPS, sizeof(took[0]), ascending);
	cost.median = took[STOPS / 2];
	return cost;
}

struct keeper_stop_cost stop_cost_measure(struct cpu *cpu)
{
	struct keeper_stop_cost cost = {0};
	int go[2], pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		return cost;
	pid = fork();
	if (pid == 0)
		stop_for_ever(go);
	close(go[0]);
	if (pid > 0 && pt_seize(pid, PT_OPTION_EXITKILL) == 0 &&
	    write(go[1], "", 1) == 1)
		cost = measure(cpu, pid);
	close(go[1]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	return cost;
}
