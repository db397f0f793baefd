/* SPDX-License-Identifier: MIT */
/*
 * An indirect jump leaves its function when its target, at run time, lies outside of the
 * function's parts.
 */
#include "hook/resident/level.h"
#include "vm/base/bytes.h"
#include "vm/tail_calls.h"

/* False: it cannot be read, and the jump will fault. */
static bool target_of(struct level *l, const struct resident_hit *hit, uint64_t *target)
{
	uint64_t address = (uint64_t)hit->disp;
	taddr bad;

	if (hit->reg != RESIDENT_NO_REG) {
		*target = regs_encoded(l->regs, hit->reg);
		return true;
	}
	address += regs_encoded(l->regs, hit->base);
	address += regs_encoded(l->regs, hit->index) * hit->scale;
	return read_memory(l, taddr_of(address), target, sizeof(*target), &bad) == 0;
}

uint64_t exit_target(struct level *l, const struct resident_hit *hit)
{
	uint64_t target = (uint64_t)hit->disp;

	if ((hit->kind & (RESIDENT_RAW - 1)) == RESIDENT_LEAVING &&
	    !target_of(l, hit, &target))
		return 0;
	return target;
}

bool exit_is_taken(struct level *l, const struct resident_hit *hit)
{
	const struct resident_block *b = l->block;
	const struct resident_range *parts =
		(const void *)((const unsigned char *)b + b->layout.ranges_at);
	uint64_t target;

	if (!target_of(l, hit, &target))
		return false;
	for (uint32_t i = 0; i < hit->nranges; i++) {
		uint64_t at = (uint64_t)hit->first_range + i;

		if (at < b->layout.config.nranges && target >= parts[at].lo &&
		    target < parts[at].hi)
			return false;
	}
	return true;
}

bool exit_follows(struct level *l)
{
	struct tail_step step = {
		.role = (enum tail_role)l->now->role,
		.probe = l->now->probe,
		.sp = level_sp(l),
		.arg0 = l->now->arg0,
	};

	if (!tail_calls_step(tail_calls_of(l->vm.state, l->tcb->thread.slot[0]),
			     &l->vm.env, &step))
		return false;
	bytes_copy(&l->alone, l->now, sizeof(l->alone));
	l->alone.arg0 = step.arg0;
	l->now = &l->alone;
	return true;
}
