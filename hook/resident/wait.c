/* SPDX-License-Identifier: MIT */
/*
 * A thread waits for the consumer (STATE_WAIT). It sleeps for a moment at a time: so it
 * sees soon that the keeper wants it out of here, for a signal or to detach it, that the
 * keeper has died, or that tracing has ended. Its record is in the ring by then.
 */
#include "hook/resident/level.h"
#include "hook/resident/sys.h"
#include "vm/state.h"

#define MOMENT_NS 2000000

/* Whether the thread is to leave resident code without delay. */
static bool is_called(const struct level *l)
{
	return resident_tcb_pending(l->tcb) ||
	       atomic_load_explicit(&l->block->keeper, memory_order_relaxed) &
		       RESIDENT_KEEPER_DIED;
}

static void wake_consumer(void *ctx, _Atomic uint32_t *word)
{
	(void)ctx;
	sys_futex_wake(word);
}

void wait_for_room(void *ctx)
{
	struct level *l = ctx;
	struct state *s = l->vm.state;
	const uint64_t since = env_now(l);
	uint64_t ns = 0;

	/* Without a clock there is no limit to a wait. */
	while (since && !is_called(l) &&
	       state_wait_goes_on(s, l->vm.slot, ns, wake_consumer, NULL)) {
		sys_futex_wait(state_waiter(s), 1, MOMENT_NS);
		ns = env_now(l) - since;
	}
	atomic_fetch_add_explicit(state_waited(s, l->vm.slot), ns,
				  memory_order_relaxed);
}
