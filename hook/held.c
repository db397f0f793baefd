/* SPDX-License-Identifier: MIT */
/*
 * Runs of bytes, ascending and apart. Plans are made in the order of addresses, so new
 * runs are near the end: what moves for one is a few others.
 */
#include "hook/held.h"

#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <string.h>

struct run {
	uint64_t lo, hi;
	uint64_t patch; /* its plan */
};

struct hook_islands {
	struct run *data;
	size_t len, cap;
};

struct hook_islands *hook_islands_new(void)
{
	return oom_calloc(1, sizeof(struct hook_islands));
}

void hook_islands_free(struct hook_islands *b)
{
	if (b)
		vec_release(b);
	free(b);
}

/* The number of the first run that ends behind `at`. */
static size_t first_behind(const struct hook_islands *b, uint64_t at)
{
	size_t lo = 0, hi = b->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->data[mid].hi <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool held_is_taken(const struct hook_islands *b, taddr at, size_t n, taddr patch)
{
	if (!b || !n)
		return false;
	for (size_t i = first_behind(b, at.v); i < b->len && b->data[i].lo < at.v + n;
	     i++)
		if (b->data[i].patch != patch.v)
			return true;
	return false;
}

/* Puts the run before that of number i. */
static void insert(struct hook_islands *b, size_t i, struct run run)
{
	vec_push(b);
	memmove(&b->data[i + 1], &b->data[i], (b->len - 1 - i) * sizeof(*b->data));
	b->data[i] = run;
}

static void drop(struct hook_islands *b, size_t i)
{
	b->len--;
	memmove(&b->data[i], &b->data[i + 1], (b->len - i) * sizeof(*b->data));
}

/* Takes [lo, hi) out of run i, which it overlaps. Returns the number behind it. */
static size_t cut(struct hook_islands *b, size_t i, uint64_t lo, uint64_t hi)
{
	struct run *run = &b->data[i];
	struct run rest = {hi, run->hi, run->patch};

	if (run->lo >= lo && run->hi <= hi) {
		drop(b, i);
		return i;
	}
	if (run->lo >= lo) {
		run->lo = hi;
		return i;
	}
	run->hi = lo;
	if (rest.hi > hi)
		insert(b, i + 1, rest);
	return i + 1;
}

void held_take(struct hook_islands *b, taddr lo, size_t n, taddr patch)
{
	uint64_t hi = lo.v + n;
	size_t i = first_behind(b, lo.v);

	if (hi <= lo.v)
		return;
	while (i < b->len && b->data[i].lo < hi)
		i = cut(b, i, lo.v, hi);
	insert(b, first_behind(b, lo.v), (struct run){lo.v, hi, patch.v});
}

void held_give(struct hook_islands *b, taddr lo, size_t n, taddr patch)
{
	uint64_t hi = lo.v + n;
	size_t i = first_behind(b, lo.v);

	while (hi > lo.v && i < b->len && b->data[i].lo < hi)
		i = b->data[i].patch == patch.v ? cut(b, i, lo.v, hi) : i + 1;
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
