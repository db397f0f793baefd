/* SPDX-License-Identifier: MIT */
#include "hook/near_search.h"

#include "vm/base/status.h"

/* The addresses that a search may use, and what it found so far. */
struct search {
	uint64_t lo, hi;
	uint64_t size;
	bool wants_lowest; /* else the highest */
	bool is_found;
	uint64_t found;
};

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t sub_saturated(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

/* Considers the free addresses [lo, hi). */
static void offer(struct search *s, uint64_t lo, uint64_t hi)
{
	lo = add_saturated(max_u64(lo, s->lo), NEAR_PAGE - 1);
	lo = align_down(lo, NEAR_PAGE);
	hi = align_down(min_u64(hi, s->hi), NEAR_PAGE);
	if (hi < lo || hi - lo < s->size || (s->is_found && s->wants_lowest))
		return;
	s->is_found = true;
	s->found = s->wants_lowest ? lo : hi - s->size;
}

/* Whether a mapping has a page of the range, or is next to it. */
static bool is_near_mapping(const struct near_space *space, struct addr_range r)
{
	size_t lo = 0, end = space->nmaps;

	while (lo < end) {
		size_t mid = lo + (end - lo) / 2;

		if (add_saturated(space->maps[mid].hi.v, NEAR_PAGE) <= r.lo.v)
			lo = mid + 1;
		else
			end = mid;
	}
	return lo < space->nmaps &&
	       sub_saturated(space->maps[lo].lo.v, NEAR_PAGE) < r.hi.v;
}

/* What may not be used although nothing, or not all of it, is mapped; ascending. */
struct taken {
	struct addr_range ranges[3];
	size_t n;
};

static void taken_add(struct taken *t, struct addr_range r)
{
	size_t at = t->n++;

	for (; at && t->ranges[at - 1].lo.v > r.lo.v; at--)
		t->ranges[at] = t->ranges[at - 1];
	t->ranges[at] = r;
}

static struct taken taken_of(const struct near_space *space)
{
	const struct addr_range shadow = {taddr_of(NEAR_SHADOW),
					  taddr_of(NEAR_SHADOW_END)};
	struct addr_range heap = space->heap;
	struct taken t = {.n = 0};

	if (heap.hi.v || heap.lo.v)
		heap.hi.v = add_saturated(heap.hi.v, NEAR_HEAP_ROOM);
	taken_add(&t, heap);
	taken_add(&t, space->stack);
	/* Where anything is mapped there will be no shadow. */
	if (!is_near_mapping(space, shadow))
		taken_add(&t, shadow);
	return t;
}

/* Offers [lo, hi) without the taken ranges. */
static void offer_around(struct search *s, const struct taken *t, uint64_t lo,
			 uint64_t hi)
{
	for (size_t i = 0; i < t->n; i++) {
		offer(s, lo, min_u64(hi, t->ranges[i].lo.v));
		lo = max_u64(lo, t->ranges[i].hi.v);
	}
	offer(s, lo, hi);
}

static void search(const struct near_space *space, struct search *s)
{
	struct taken taken = taken_of(space);
	uint64_t at = space->lowest;

	for (size_t i = 0; i < space->nmaps; i++) {
		uint64_t lo = space->maps[i].lo.v, hi = space->maps[i].hi.v;

		offer_around(s, &taken, at, sub_saturated(lo, NEAR_PAGE));
		at = max_u64(at, add_saturated(hi, NEAR_PAGE));
	}
	offer_around(s, &taken, at, NEAR_USER_END);
}

int near_search(const struct near_space *space, struct addr_range near, uint64_t size,
		taddr *out)
{
	uint64_t lo = near.lo.v, hi = near.hi.v;
	struct search below, above;

	if (!size || size > NEAR_REACH || lo >= hi || hi - lo > NEAR_REACH)
		return STATUS_INVAL;
	size = align_up(size, NEAR_PAGE);
	/* one page less than the displacement allows: an operand may be after near */
	below = (struct search){.lo = sub_saturated(hi, NEAR_REACH - NEAR_PAGE),
				.hi = lo,
				.size = size};
	search(space, &below);
	above = (struct search){.lo = hi,
				.hi = add_saturated(lo, NEAR_REACH - NEAR_PAGE),
				.size = size,
				.wants_lowest = true};
	if (!below.is_found)
		search(space, &above);
	if (!below.is_found && !above.is_found)
		return STATUS_FULL;
	*out = taddr_of(below.is_found ? below.found : above.found);
	return 0;
}

bool near_space_is_free(const struct near_space *space, struct addr_range pages)
{
	struct taken taken = taken_of(space);

	if (pages.lo.v >= pages.hi.v || pages.lo.v < space->lowest ||
	    pages.hi.v > NEAR_USER_END)
		return false;
	for (size_t i = 0; i < taken.n; i++)
		if (pages.lo.v < taken.ranges[i].hi.v &&
		    taken.ranges[i].lo.v < pages.hi.v)
			return false;
	return !is_near_mapping(space, pages);
}

/* The end of what the kernel has put below the stack; without any, of its room. */
static uint64_t libraries_end(const struct near_space *space)
{
	uint64_t stack = space->stack.lo.v ? space->stack.lo.v : NEAR_USER_END;
	uint64_t end = 0;

	for (size_t i = 0; i < space->nmaps; i++)
		if (space->maps[i].lo.v >= NEAR_LIBRARIES &&
		    space->maps[i].hi.v <= stack)
			end = max_u64(end, space->maps[i].hi.v);
	return end ? end : stack;
}

int near_search_in(const struct near_space *space, struct addr_range within,
		   uint64_t size, taddr *out)
{
	struct search s = {.lo = within.lo.v, .hi = within.hi.v};

	if (!size || size > NEAR_USER_END)
		return STATUS_INVAL;
	s.size = align_up(size, NEAR_PAGE);
	search(space, &s);
	if (!s.is_found)
		return STATUS_FULL;
	*out = taddr_of(s.found);
	return 0;
}

int near_search_far(const struct near_space *space, uint64_t size, taddr *out)
{
	uint64_t end = libraries_end(space);
	const struct addr_range within = {
		taddr_of(end > NEAR_LIBRARIES ? NEAR_LIBRARIES : 0), taddr_of(end)};
	int status = STATUS_FULL;

	if (!size || size > NEAR_USER_END - NEAR_FAR)
		return STATUS_INVAL;
	for (uint64_t away = NEAR_FAR; status && away >= NEAR_PAGE; away /= 16)
		status = near_search_in(space, within, size + away, out);
	return status;
}
