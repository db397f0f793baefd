/* SPDX-License-Identifier: MIT */
#include "hook/held.h"

#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>

struct hook_islands {
	struct map owner; /* each byte in use -> where its plan's jump is */
};

struct hook_islands *hook_islands_new(void)
{
	return oom_calloc(1, sizeof(struct hook_islands));
}

void hook_islands_free(struct hook_islands *b)
{
	if (b)
		map_release(&b->owner);
	free(b);
}

bool held_is_taken(const struct hook_islands *b, taddr at, size_t n, taddr patch)
{
	uint64_t owner;

	for (size_t i = 0; b && i < n; i++)
		if (map_get(&b->owner, at.v + i, &owner) && owner != patch.v)
			return true;
	return false;
}

void held_take(struct hook_islands *b, taddr lo, size_t n, taddr patch)
{
	for (size_t i = 0; i < n; i++)
		map_set(&b->owner, lo.v + i, patch.v);
}

void held_give(struct hook_islands *b, taddr lo, size_t n, taddr patch)
{
	uint64_t owner;

	for (size_t i = 0; i < n; i++)
		if (map_get(&b->owner, lo.v + i, &owner) && owner == patch.v)
			map_remove(&b->owner, lo.v + i);
}

void held_take_padding(struct hook_islands *b, const struct hook_plan *plan)
{
	held_take(b, taddr_add(plan->patch, plan->covered - plan->padding),
		  plan->padding, plan->patch);
}

void held_give_padding(struct hook_islands *b, const struct hook_plan *plan)
{
	held_give(b, taddr_add(plan->patch, plan->covered - plan->padding),
		  plan->padding, plan->patch);
}

void hook_islands_hold(struct hook_islands *b, const struct hook_plan *plan)
{
	if (!hook_plan_is_jump(plan))
		return;
	held_take(b, plan->patch, hook_plan_held(plan), plan->patch);
	if (plan->island.at.v)
		held_take(b, plan->island.at, plan->island.covered, plan->patch);
}
