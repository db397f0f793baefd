/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/host/sort.h"

#include <string.h>

#define MOST 300

struct pair {
	uint64_t key;
	uint32_t number;
};

/* Keys are in order, and the numbers of equal keys, and all are there. */
static void check(const uint64_t *keys, size_t n)
{
	struct pair pairs[MOST] = {0};
	bool seen[MOST] = {false};

	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct pair){keys[i], (uint32_t)i};
	sort_runs(pairs, n, sizeof(*pairs));
	for (size_t i = 0; i < n; i++) {
		const struct pair *p = &pairs[i];

		assert_int_equal(p->key, keys[p->number]);
		assert_false(seen[p->number]);
		seen[p->number] = true;
		if (i)
			assert_true(p[-1].key < p->key ||
				    (p[-1].key == p->key && p[-1].number < p->number));
	}
}

static void check_keys(const uint64_t *keys, size_t n)
{
	struct sort_key sorted[MOST];
	bool seen[MOST] = {false};

	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct sort_key){keys[i], i};
	sort_keys(sorted, n);
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
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		check(cases[i].keys, cases[i].n);
		check_keys(cases[i].keys, cases[i].n);
	}
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
			check_keys(keys, n);
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
