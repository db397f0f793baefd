/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/cpu/cpu.h"
#include "tracer/keeper/os/ptrace.h"

#include <stdlib.h>

void cpu_init(struct cpu *c)
{
	const char *set = getenv("PROBEKEEPER_CPU");

	*c = (struct cpu){.pinned = -1};
	if (sched_getaffinity(0, sizeof(c->allowed), &c->allowed) == 0)
		c->is_on = CPU_COUNT(&c->allowed) > 1 && !(set && *set == '0');
}

void cpu_unpin(struct cpu *c)
{
	if (c->pinned < 0)
		return;
	sched_setaffinity(0, sizeof(c->allowed), &c->allowed);
	c->pinned = -1;
}

static bool pin(struct cpu *c, int where)
{
	if (c->pinned == where)
		return true;
	CPU_ZERO(&c->only);
	CPU_SET((size_t)where, &c->only);
	if (sched_setaffinity(0, sizeof(c->only), &c->only) < 0)
		return false;
	c->pinned = where;
	return true;
}

/* A CPU that both may use, if possible the one the keeper runs on. -1: there is none. */
static int common_cpu(const struct cpu *c, const cpu_set_t *mask)
{
	int here = c->pinned >= 0 ? c->pinned : sched_getcpu();
	cpu_set_t both;

	if (here >= 0 && CPU_ISSET((size_t)here, mask))
		return here;
	CPU_AND(&both, mask, &c->allowed);
	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &both))
			return (int)i;
	return -1;
}

static int cont_shared(struct cpu *c, int tid)
{
	cpu_set_t mask;
	int where, status;

	/* Read each time: the program may change it between two stops. */
	if (sched_getaffinity(tid, sizeof(mask), &mask) < 0)
		return pt_cont(tid, 0);
	where = common_cpu(c, &mask);
	if (where < 0 || !pin(c, where) || CPU_EQUAL(&mask, &c->only) ||
	    sched_setaffinity(tid, sizeof(c->only), &c->only) < 0)
		return pt_cont(tid, 0);
	c->has_narrowed = true;
	status = pt_cont(tid, 0);
	cpu_widen(c, tid, &mask);
	return status;
}

void cpu_widen(const struct cpu *c, int tid, const cpu_set_t *mask)
{
	cpu_set_t now;

	if (sched_getaffinity(tid, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &c->only))
		sched_setaffinity(tid, sizeof(*mask), mask);
}

void cpu_note_child(const struct cpu *c, int parent, int child)
{
	cpu_set_t mask, own;

	if (!c->has_narrowed || sched_getaffinity(child, sizeof(own), &own) < 0 ||
	    CPU_COUNT(&own) > 1 || sched_getaffinity(parent, sizeof(mask), &mask) < 0)
		return;
	if (!CPU_EQUAL(&own, &mask))
		sched_setaffinity(child, sizeof(mask), &mask);
}

int cpu_cont(struct cpu *c, int tid, uint64_t now_ns)
{
	if (!c->is_on)
		return pt_cont(tid, 0);
	switch (cpu_ways_next(&c->ways, now_ns)) {
	case CPU_WAY_SHARE:
		return cont_shared(c, tid);
	case CPU_WAY_STAY:
		if (c->pinned < 0)
			pin(c, sched_getcpu());
		break;
	default:
		cpu_unpin(c);
		break;
	}
	return pt_cont(tid, 0);
}
