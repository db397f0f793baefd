/* SPDX-License-Identifier: MIT */
#include "tracer/targets/keeper_death.h"
#include "tracer/output/out.h"
#include "vm/base/proc/procmem_window.h"
#include "vm/base/host/vec.h"

#include <string.h>
#include <unistd.h>

static void save_jump(struct target *target, const struct hook_plan *plan)
{
	struct keeper_restore *m = vec_push(&target->jumped);
	taddr last = taddr_add(plan->patch,
			       plan->nheads ? plan->heads[plan->nheads - 1] : 0);

	*m = (struct keeper_restore){
		.addr = plan->patch,
		.jump = plan->island.at.v ? hook_island_entry(&plan->island) : last,
		.n = (uint8_t)hook_plan_patched(plan)};
	memcpy(m->original, plan->original, m->n);
	/* The island of a punned jump is not in the text: it stays, as stubs do. */
	if (!hook_plan_has_island(plan))
		return;
	m = vec_push(&target->jumped);
	*m = (struct keeper_restore){.addr = plan->island.at,
				     .jump = hook_island_entry(&plan->island),
				     .resume_pc = plan->patch,
				     .n = (uint8_t)hook_island_written(&plan->island)};
	memcpy(m->original, plan->island.original, m->n);
}

void keeper_death_save(struct target *target)
{
	struct procmem_window memory = {.memory = target->memory};

	/* The kernel kills a process of -c when its keeper goes. */
	if (target->created)
		return;
	for (size_t i = 0; i < target->sites.len; i++) {
		struct saved_byte b = {.addr = target->sites.data[i].site.addr.v};

		if (procmem_window_read(&memory, b.addr, &b.byte, 1) == 0)
			*vec_push(&target->saved) = b;
	}
	for (size_t i = 0; i < target->plans.len; i++)
		if (hook_plan_is_jump(&target->plans.data[i]))
			save_jump(target, &target->plans.data[i]);
	procmem_window_release(&memory);
}

void keeper_death_forget(struct target *target, struct addr_range r)
{
	size_t n = 0;

	for (size_t i = 0; i < target->saved.len; i++)
		if (!taddr_in(taddr_of(target->saved.data[i].addr), r.lo, r.hi))
			target->saved.data[n++] = target->saved.data[i];
	target->saved.len = n;
	n = 0;
	for (size_t i = 0; i < target->jumped.len; i++) {
		const struct keeper_restore *m = &target->jumped.data[i];

		if (!taddr_in(m->addr, r.lo, r.hi) &&
		    !taddr_in(m->resume_pc, r.lo, r.hi))
			target->jumped.data[n++] = *m;
	}
	target->jumped.len = n;
	n = 0;
	for (size_t i = 0; i < target->semaphores.len; i++)
		if (!taddr_in(target->semaphores.data[i].addr, r.lo, r.hi))
			target->semaphores.data[n++] = target->semaphores.data[i];
	target->semaphores.len = n;
}

/* Takes away what the keeper has added, as it would have done. */
static void lower_semaphores(const struct target *target)
{
	for (size_t i = 0; i < target->semaphores.len; i++) {
		const struct target_semaphore *s = &target->semaphores.data[i];
		uint16_t value;

		if (!s->is_raised ||
		    target_read(target, s->addr, &value, sizeof(value)) || !value)
			continue;
		value--;
		if (procmem_write(target->memory, s->addr.v, &value, sizeof(value)) < 0)
			break;
	}
}

void keeper_death_restore_breakpoints(struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++) {
		struct target *target = t->targets.data[i];

		for (size_t k = 0; k < target->saved.len; k++) {
			const struct saved_byte *b = &target->saved.data[k];
			uint8_t now;

			if (target_read(target, taddr_of(b->addr), &now, 1) == 0 &&
			    now == 0xcc &&
			    procmem_write(target->memory, b->addr, &b->byte, 1) < 0)
				break;
		}
		lower_semaphores(target);
		target->alive = target->held = false;
	}
}

void keeper_wake_for_dead(const struct tracer *t)
{
	if (link_is_stopped(&t->link) && targets_have_ended(t))
		link_continue(&t->link);
}

static int seize(struct link *l, int pid, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_SEIZE, .pid = pid}};

	return link_call(l, &req, NULL, NULL, e);
}

static int send_bytes(struct link *l, const struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_RESTORE,
			.pid = target->pid,
			.memory.bytes =
				target->jumped.len * sizeof(*target->jumped.data)},
		.nfds = 1};
	int rc;

	req.fds[0] = link_memfd(target->jumped.data, req.msg.memory.bytes);
	if (req.fds[0] < 0)
		return err_errno(e, STATUS_NOMEM,
				 "cannot make the table of original bytes");
	rc = link_call(l, &req, NULL, NULL, e);
	close(req.fds[0]);
	return rc;
}

static void restore_jumps_of(struct tracer *t, const struct target *target)
{
	struct link l;
	struct err e;
	int rc = link_open(&l, &e);

	if (!rc) {
		rc = seize(&l, target->pid, &e);
		if (!rc)
			rc = send_bytes(&l, target, &e);
		link_close(&l);
	}
	/* A process that died with the keeper, or at a breakpoint, needs nothing. */
	if (rc && rc != STATUS_GONE && rc != STATUS_NOENT)
		out_message(t->out,
			    "pid %d: the jumps of its probes, which fire no more, "
			    "cannot be "
			    "removed: %s",
			    target->pid, e.text);
}

void keeper_death_restore_jumps(struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++) {
		const struct target *target = t->targets.data[i];

		/* A process of -c is killed by the kernel. */
		if (target->saved.len && target->mem_fd >= 0 && !target->created)
			restore_jumps_of(t, target);
	}
}
