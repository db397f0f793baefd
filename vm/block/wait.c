/* SPDX-License-Identifier: MIT */
/*
 * STATE_WAIT: when who fired waits for the consumer, and for how long.
 */
#include "vm/block/layout.h"

bool state_is_consumed(const struct state *s)
{
	return s->config.policy == STATE_SWITCH || s->config.policy == STATE_WAIT;
}

/* Whether more than one part of so many of the buffer is unread. */
static bool is_beyond(const struct state *s, const struct slot *slot, unsigned parts)
{
	return layout_unread_room(slot) > s->config.bufsize / parts ||
	       layout_unread_bytes(slot) > s->ring_bytes / parts;
}

/* Another number once the consumer has read; never 0. */
static uint64_t reading_of(const struct slot *slot)
{
	return atomic_load_explicit(&slot->consumed, memory_order_relaxed) + 1;
}

bool state_wants_wait(const struct state *s, uint32_t slot)
{
	const struct slot *p = layout_slot(s, slot);

	return s->config.policy == STATE_WAIT && is_beyond(s, p, 2) &&
	       p->gave_up != reading_of(p) && !state_is_stopped(s);
}

bool state_wait_goes_on(struct state *s, uint32_t slot, uint64_t ns,
			void (*wake)(void *ctx, _Atomic uint32_t *word), void *ctx)
{
	struct slot *p = layout_slot(s, slot);
	_Atomic uint32_t *sleeper = state_sleeper(s);

	if (state_is_stopped(s))
		return false;
	/* Before the look: what is read after it makes the word 0. */
	atomic_store(state_waiter(s), 1);
	if (!is_beyond(s, p, 4))
		return false;
	if (ns >= s->config.wait_ns) {
		p->gave_up = reading_of(p);
		return false;
	}
	if (atomic_load_explicit(sleeper, memory_order_relaxed) &&
	    atomic_exchange(sleeper, 0))
		wake(ctx, sleeper);
	return true;
}

_Atomic uint32_t *state_waiter(struct state *s)
{
	return &layout_exchange(s)->waiter;
}

_Atomic uint64_t *state_waited(struct state *s, uint32_t slot)
{
	return &layout_slot(s, slot)->waited;
}

bool state_may_have_waited(const struct state *s, uint64_t room, uint64_t bytes)
{
	return s->config.policy == STATE_WAIT &&
	       (room > s->config.bufsize / 2 || bytes > s->ring_bytes / 2);
}
