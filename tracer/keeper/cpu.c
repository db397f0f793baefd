/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/cpu.h"
#include "tracer/keeper/ptrace.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One sample costs 5 us: a hundredth of it on each event is not seen. */
#define SAMPLE_EVERY 256
/* More turns between threads than this among 32 events: they hit at once. */
#define ALTERNATIONS_MAX 8

void cpu_init(struct cpu *c)
{
	const char *set = getenv("PROBEKEEPER_CPU");
	cpu_set_t mask;

	*c = (struct cpu){.loadavg = -1};
	if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
		c->ncpus = CPU_COUNT(&mask);
	c->is_on = c->ncpus > 1 && !(set && *set == '0');
	if (c->is_on)
		c->loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
}

void cpu_release(struct cpu *c)
{
	if (c->loadavg >= 0)
		close(c->loadavg);
	c->loadavg = -1;
}

/*
 * The number of runnable tasks of the whole system (fourth field, before the
 * slash), ourselves included; the thread to be resumed is not counted.
 */
static void sample(struct cpu *c)
{
	char buf[128];
	ssize_t n = pread(c->loadavg, buf, sizeof(buf) - 1, 0);
	int runnable;

	c->samples++;
	c->next_sample = c->events + SAMPLE_EVERY;
	if (n <= 0)
		return;
	buf[n] = '\0';
	if (sscanf(buf, "%*s %*s %*s %d", &runnable) == 1)
		c->is_crowded = runnable > c->ncpus;
}

static bool should_narrow(struct cpu *c, int tid)
{
	c->events++;
	c->alternations = c->alternations << 1 | (c->last_tid != tid);
	c->last_tid = tid;
	if (__builtin_popcount(c->alternations) > ALTERNATIONS_MAX)
		return false;
	if (c->loadavg >= 0 && c->events >= c->next_sample)
		sample(c);
	return !c->is_crowded;
}

int cpu_cont(struct cpu *c, int tid)
{
	cpu_set_t mask, narrow;
	int here, status;

	if (!c->is_on || !should_narrow(c, tid))
		return pt_cont(tid, 0);
	/* Asked for each time: the program may change it between two stops. */
	here = sched_getcpu();
	if (here < 0 || sched_getaffinity(tid, sizeof(mask), &mask) < 0 ||
	    !CPU_ISSET((size_t)here, &mask) || CPU_COUNT(&mask) == 1)
		return pt_cont(tid, 0);
	CPU_ZERO(&narrow);
	CPU_SET((size_t)here, &narrow);
	if (sched_setaffinity(tid, sizeof(narrow), &narrow) < 0)
		return pt_cont(tid, 0);
	c->narrowed++;
	status = pt_cont(tid, 0);
	sched_setaffinity(tid, sizeof(mask), &mask);
	return status;
}
