/* SPDX-License-Identifier: MIT */
#include "hook/near_search.h"

#include "vm/base/status.h"

/* The addresses that a search may use, and what it found so far. */
struct search {
	uint64_t lo, hi;
	uint64_t size;
	bool wants_lowest; /* else the highest */
	bool wants_largest;
	bool is_found;
	uint64_t found;
	uint64_t gap; /* with wants_largest: where found is */
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
	if (s->wants_largest) {
		if (hi - lo <= s->gap)
			return;
		s->gap = hi - lo;
		hi = align_down(lo + s->gap / 2 + s->size / 2, NEAR_PAGE);
	}
	s->is_found = true;
	s->found = s->wants_lowest ? lo : hi - s->size;
}

/* What may not be used although nothing, or not all of it, is mapped. */
struct taken {
	struct addr_range ranges[2];
};

static struct taken taken_of(const struct near_space *space)
{
	struct taken t = {{space->heap, space->stack}};

	if (space->heap.hi.v || space->heap.lo.v)
		t.ranges[0].hi.v = add_saturated(space->heap.hi.v, NEAR_HEAP_ROOM);
	return t;
}

/* Offers [lo, hi) without the taken ranges from the i-th on. */
static void offer_around(struct search *s, const struct taken *t, uint64_t lo,
			 uint64_t hi)
{
	struct addr_range heap = t->ranges[0], stack = t->ranges[1];
	struct addr_range first = heap.lo.v <= stack.lo.v ? heap : stack;
	struct addr_range second = heap.lo.v <= stack.lo.v ? stack : heap;

	offer(s, lo, min_u64(hi, first.lo.v));
	lo = max_u64(lo, first.hi.v);
	offer(s, lo, min_u64(hi, second.lo.v));
	offer(s, max_u64(lo, second.hi.v), hi);
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

bool near_space_is_free(const struct near_space *space, struct addr_range pages)
{
	struct taken taken = taken_of(space);

	if (pages.lo.v >= pages.hi.v || pages.lo.v < space->lowest ||
	    pages.hi.v > NEAR_USER_END ||
	    (pages.hi.v > NEAR_LOW_END && pages.lo.v < NEAR_LOW_AGAIN))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(taken.ranges); i++)
		if (pages.lo.v < taken.ranges[i].hi.v &&
		    taken.ranges[i].lo.v < pages.hi.v)
			return false;
	return !is_near_mapping(space, pages);
}

int near_search_low(const struct near_space *space, uint64_t size, taddr *out)
{
	struct search s = {.hi = NEAR_LOW_END};

	if (!size || size > NEAR_LOW_END)
		return STATUS_INVAL;
	s.size = align_up(size, NEAR_PAGE);
	search(space, &s);
	if (!s.is_found)
		return STATUS_FULL;
	*out = taddr_of(s.found);
	return 0;
}

int near_search_away(const struct near_space *space, uint64_t size, taddr *out)
{
	struct search s = {.hi = NEAR_USER_END};

	if (!size || size > NEAR_USER_END - 2 * NEAR_AWAY)
		return STATUS_INVAL;
	s.size = align_up(size, NEAR_PAGE) + 2 * NEAR_AWAY;
	search(space, &s);
	if (!s.is_found)
		return STATUS_FULL;
	*out = taddr_of(s.found + NEAR_AWAY);
	return 0;
}

int near_search_middle(const struct near_space *space, uint64_t size, taddr *out)
{
	struct search s = {.hi = NEAR_USER_END, .wants_largest = true};

	if (!size || size > NEAR_USER_END)
		return STATUS_INVAL;
	s.size = align_up(size, NEAR_PAGE);
	search(space, &s);
	if (!s.is_found)
		return STATUS_FULL;
	*out = taddr_of(s.found);
	return 0;
}
