/* SPDX-License-Identifier: MIT */
/* Whether a thread that got no GS base is counted as a drop: not if it is dead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/support/stopped_child.h"
#include "tracer/keeper/os/owner_watch.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/space/thread_slots.h"

#define PAIRS 2

static struct state *make_state(void)
{
	const struct state_config c = {
		.nslots = STATE_SLOT_FIRST_THREAD + RESIDENT_LEVELS * PAIRS,
		.strsize = 256,
		.bufsize = 1 << 16,
		.aggsize = 1 << 16,
	};
	uint64_t size = state_size(&c);
	struct state *s = mmap(NULL, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(s, MAP_FAILED);
	assert_int_equal(state_init(s, size, &c), 0);
	return s;
}

/* Installed, as far as thread_slots_take() looks. */
static struct detours *make_detours(struct state *s)
{
	const struct resident_config c = {.nsites = 1, .ntcbs = PAIRS + 1};
	struct detours *d = detours_new();
	char *p;

	assert_true(resident_lay_out(&d->view.layout, &c) > 0);
	p = mmap(NULL, d->view.layout.bytes + OWNER_WATCH_ROOM, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	d->view.block = (void *)(p + OWNER_WATCH_ROOM);
	d->place.block = UINT64_C(1) << 32;
	d->view.there = c;
	d->is_installed = true;
	thread_pairs_init(&d->pairs, s);
	return d;
}

static uint64_t drops(struct state *s)
{
	return state_drops(s, STATE_SLOT_KEEPER)->records;
}

static void test_drops(void **state)
{
	struct state *s = make_state();
	struct detours *d = make_detours(s);
	struct thread_slots all = {.home = s};
	struct thread_slot slot[PAIRS + 2] = {0};
	struct thread_slots_request r = {.detours = d, .tid = stopped_child()};
	pid_t dead = stopped_child();

	(void)state;
	thread_slots_take(&all, &r, &slot[0]);
	assert_int_equal(drops(s), 0);

	end_child(dead);
	r.tid = dead;
	thread_slots_take(&all, &r, &slot[1]);
	assert_int_equal(slot[1].pair, 2);
	assert_int_equal(drops(s), 0); /* it hits nothing any more */

	thread_slots_take(&all, &r, &slot[2]);
	assert_int_equal(slot[2].pair, 0); /* no pair is left */
	assert_int_equal(drops(s), 0);

	r.tid = stopped_child();
	thread_slots_take(&all, &r, &slot[3]);
	assert_int_equal(slot[3].pair, 0);
	assert_int_equal(slot[3].tcb, 0);
	assert_int_equal(drops(s), 1);
	end_child(r.tid);
	detours_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
