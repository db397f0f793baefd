/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/host/sort.h"

#define MOST 300

/* Keys are in order, and the numbers of equal keys, and all are there. */
static void check_sorted(const struct sort_key *sorted, const uint64_t *keys, size_t n)
{
	bool seen[MOST] = {false};

	for (size_t i = 0; i < n; i++) {
		const struct sort_key *k = &sorted[i];

		assert_int_equal(k->key, keys[k->i]);
		assert_false(seen[k->i]);
		seen[k->i] = true;
		if (i)
			assert_true(k[-1].key < k->key ||
				    (k[-1].key == k->key && k[-1].i < k->i));
	}
}

static void check(const uint64_t *keys, size_t n)
{
	struct sort_key by_runs[MOST] = {{0}}, by_keys[MOST] = {{0}};

	for (size_t i = 0; i < n; i++)
		by_runs[i] = by_keys[i] = (struct sort_key){keys[i], i};
	sort_runs(by_runs, n, sizeof(*by_runs));
	check_sorted(by_runs, keys, n);
	sort_keys(by_keys, n);
	check_sorted(by_keys, keys, n);
}

static void test_orders(void **state)
{
	static const struct {
		uint64_t keys[8];
		size_t n;
	} cases[] = {
		{{0}, 0},
		{{7}, 1},
		{{1, 2, 2, 3}, 4},
		{{2, 1}, 2},
		{{3, 2, 1}, 3},
		{{1, 5, 9, 2, 6}, 5},
		{{1, 1, 0, 0, 1, 0}, 6},
		{{UINT64_MAX, 0, UINT64_MAX, 0}, 4},
		{{8, 7, 6, 5, 4, 3, 2, 1}, 8},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(cases[i].keys, cases[i].n);
}

/* Of all lengths, from few runs to many. */
static void test_lengths(void **state)
{
	uint64_t keys[MOST], x = 1;

	(void)state;
	for (uint64_t run = 1; run < MOST; run *= 3)
		for (size_t n = 0; n < MOST; n++) {
			for (size_t i = 0; i < n; i++) {
				x = x * UINT64_C(6364136223846793005) + 1;
				keys[i] = i % run ? keys[i - 1] + x % 3 : x >> 40;
			}
			check(keys, n);
			for (size_t i = 0; i < n; i++)
				keys[i] *= n % 2 ? UINT64_C(0x9e3779b97f4a7c15) : 1;
			check(keys, n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
