/* SPDX-License-Identifier: MIT */
/* The earliest of many rings, against a search of all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tracer/events/ring_heap.h"

#define RINGS 37
#define STEPS 20000

static uint32_t seed = 1;

static uint32_t number(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* The ring with the earliest time, the lowest of equal ones; RINGS: none has a record. */
static uint32_t earliest(const uint64_t times[RINGS])
{
	uint32_t first = RINGS;

	for (uint32_t i = 0; i < RINGS; i++)
		if (times[i] && (first == RINGS || times[i] < times[first]))
			first = i;
	return first;
}

static void test_order(void **state)
{
	struct ring_heap h = {0};
	uint64_t times[RINGS] = {0};
	uint32_t nempty = 0;

	(void)state;
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t first = earliest(times), ring = number(RINGS);
		const struct ring_key *key = ring_heap_first(&h);

		if (first == RINGS) {
			assert_null(key);
			nempty++;
		} else {
			assert_int_equal(key->ring, first);
			assert_int_equal(key->time, times[first]);
		}
		if (first < RINGS && number(3)) {
			times[first] = number(2) ? times[first] + number(4) : 0;
			if (times[first])
				ring_heap_replace(&h, times[first]);
			else
				ring_heap_remove(&h);
		} else if (!times[ring]) {
			times[ring] = 1 + number(50);
			ring_heap_add(&h, times[ring], ring);
		}
	}
	assert_true(nempty > 10);
	ring_heap_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
