/* SPDX-License-Identifier: MIT */
#include "vm/own_time.h"
#include "vm/block/layout.h"

static uint64_t get(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void put(_Atomic uint64_t *word, uint64_t value)
{
	atomic_store_explicit(word, value, memory_order_relaxed);
}

void own_time_begin(struct state *home, struct own_time_ways ways)
{
	struct control *control = layout_control(home);

	put(&control->jump_ns, ways.jump);
	put(&control->stop_ns, ways.stop);
	atomic_store_explicit(&control->has_own_times, 1, memory_order_release);
}

bool own_time_is_on(const struct state *s)
{
	return atomic_load_explicit(&layout_control(s)->has_own_times,
				    memory_order_acquire);
}

struct own_time_ways own_time_ways(const struct state *s)
{
	const struct control *control = layout_control(s);

	return (struct own_time_ways){get(&control->jump_ns), get(&control->stop_ns)};
}

struct own_time *own_time_of(struct state *s, uint32_t slot)
{
	return &layout_slot(s, slot)->own_time;
}

/* Half of the way lies before a firing, half after it. */
uint64_t own_time_enter(struct own_time *t, uint64_t clock, uint64_t way)
{
	uint64_t left = get(&t->left), now = get(&t->now), between;

	if (!now) {
		now = max_u64(clock, 1);
	} else {
		between = clock - min_u64(clock, left);
		now += between - min_u64(between, way / 2);
	}
	put(&t->now, now);
	put(&t->left, clock); /* until here it is counted */
	return now;
}

void own_time_leave(struct own_time *t, uint64_t clock, uint64_t way)
{
	put(&t->left, clock + way / 2);
}

void own_time_leave_late(struct own_time *t, uint64_t begin, uint64_t clock,
			 uint64_t way)
{
	atomic_compare_exchange_strong_explicit(&t->left, &begin, clock + way / 2,
						memory_order_relaxed,
						memory_order_relaxed);
}
