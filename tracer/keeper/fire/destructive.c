/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/destructive.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/mem.h"

#include <signal.h>

#define PAGE 4096

struct span {
	uint64_t lo, hi;
};

static bool overlap(struct span a, uint64_t lo, uint64_t n)
{
	return lo < a.hi && lo + n > a.lo;
}

/* An instruction under one of our changes that overlaps the span. */
static bool is_ours(const struct space *s, struct span span, taddr *at)
{
	for (size_t i = 0; i < s->sites.len; i++) {
		const struct bpt_site *site = &s->sites.data[i];

		*at = site->in.addr;
		if (site->is_set && overlap(span, at->v, site->in.len))
			return true;
	}
	for (size_t i = 0; s->detours && i < s->detours->list.len; i++) {
		const struct detour *detour = &s->detours->list.data[i];

		*at = detour->plan.patch;
		if (detour->is_on &&
		    overlap(span, at->v, hook_plan_held(&detour->plan)))
			return true;
		*at = detour->plan.island.at;
		if (detour->is_on && overlap(span, at->v, detour->plan.island.covered))
			return true;
	}
	return false;
}

int destructive_write(const struct task *task, taddr addr, const void *buf, size_t n,
		      taddr *bad)
{
	struct span span = {addr.v, addr.v + n};
	size_t done = 0;

	*bad = addr;
	if (span.hi < span.lo)
		return STATUS_FAULT;
	if (is_ours(task->process->space, span, bad))
		return STATUS_FAULT;
	while (done < n) {
		uint64_t at = addr.v + done;
		size_t part = min_u64(n - done, PAGE - at % PAGE);

		if (mem_poke(task->tid, at, (const char *)buf + done, part) < 0) {
			*bad = taddr_of(at);
			return STATUS_FAULT;
		}
		done += part;
	}
	return 0;
}

int destructive_control(const struct task *task, struct chill *chill,
			enum vm_control what, uint64_t value)
{
	switch (what) {
	case VM_RAISE:
		if (value > (uint64_t)SIGRTMAX)
			return STATUS_RANGE;
		kill(task->process->pid, (int)value);
		return 0;
	case VM_STOP:
		/* The thread meets it when it goes on: behind the probe. */
		kill(task->process->pid, SIGSTOP);
		return 0;
	case VM_CHILL:
		return chill_spin(chill, value);
	}
	return STATUS_RANGE;
}
