/* SPDX-License-Identifier: MIT */
/* Which plan holds a byte: as if each byte were written down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hook/held.h"

#define BASE   UINT64_C(0x401000)
#define BYTES  256
#define PLANS  7
#define ROUNDS 20000

static uint64_t seed = 1;

static uint64_t any(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

static bool is_taken(const uint8_t *owner, size_t at, size_t n, unsigned plan)
{
	for (size_t i = at; i < at + n && i < BYTES; i++)
		if (owner[i] && owner[i] != plan)
			return true;
	return false;
}

static void give(uint8_t *owner, size_t at, size_t n, unsigned plan)
{
	for (size_t i = at; i < at + n; i++)
		if (owner[i] == plan)
			owner[i] = 0;
}

static void test_random(void **state)
{
	struct hook_islands *held = hook_islands_new();
	uint8_t owner[BYTES] = {0};

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		unsigned plan = (unsigned)any(PLANS) + 1;
		size_t n = (size_t)any(i % 3 ? 8 : 40), at = (size_t)any(BYTES - n);
		taddr lo = taddr_of(BASE + at);

		switch (any(4)) {
		case 0:
			held_take(held, lo, n, taddr_of(plan));
			for (size_t k = 0; k < n; k++)
				owner[at + k] = (uint8_t)plan;
			break;
		case 1:
			held_give(held, lo, n, taddr_of(plan));
			give(owner, at, n, plan);
			break;
		default:
			assert_int_equal(held_is_taken(held, lo, n, taddr_of(plan)),
					 is_taken(owner, at, n, plan));
			break;
		}
	}
	hook_islands_free(held);
}

/* Addresses at the end of all, from plans that somebody made up. */
static void test_edges(void **state)
{
	struct hook_islands *held = hook_islands_new();
	taddr last = taddr_of(UINT64_MAX - 3);

	(void)state;
	assert_false(held_is_taken(NULL, last, 3, taddr_of(1)));
	held_take(held, last, 9, taddr_of(1));
	held_take(held, last, 3, taddr_of(1));
	assert_true(held_is_taken(held, taddr_of(UINT64_MAX - 1), 1, taddr_of(2)));
	assert_false(held_is_taken(held, last, 3, taddr_of(1)));
	held_give(held, last, 9, taddr_of(1));
	held_give(held, last, 3, taddr_of(1));
	assert_false(held_is_taken(held, last, 3, taddr_of(2)));
	hook_islands_free(held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
