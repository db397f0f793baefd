/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/destructive.h"
#include "tracer/keeper/space/space.h"
#include "tracer/keeper/os/mem.h"

#include <signal.h>

#define PAGE 4096

int destructive_write(const struct task *task, taddr addr, const void *buf, size_t n,
		      taddr *bad)
{
	size_t done = 0;

	*bad = addr;
	if (addr.v + n < addr.v)
		return STATUS_FAULT;
	if (space_overlaps(task->process->space, addr, n, bad))
		return STATUS_FAULT;
	while (done < n) {
		uint64_t at = addr.v + done;
		size_t part = min_u64(n - done, PAGE - at % PAGE);

		if (mem_poke(task->process->space->mem, taddr_of(at),
			     (const char *)buf + done, part) < 0) {
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
		/* The thread stops when it goes on, after the probe. */
		kill(task->process->pid, SIGSTOP);
		return 0;
	case VM_CHILL:
		return chill_spin(chill, value);
	case VM_COPY: /* fire.c */
		break;
	}
	return STATUS_RANGE;
}
