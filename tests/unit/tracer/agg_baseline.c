/* SPDX-License-Identifier: MIT */
/* What clear() and trunc() took away, and what is left of an element then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/aggs/agg_baseline.h"

static const uint64_t key = 42;

static struct agg_baseline_taken taken(uint64_t sequence, bool is_truncated,
				       const uint64_t *value, uint32_t words)
{
	return (struct agg_baseline_taken){.slot = 2,
					   .agg = 1,
					   .words = words,
					   .is_truncated = is_truncated,
					   .sequence = sequence,
					   .time = 1000,
					   .key = &key,
					   .key_size = sizeof(key),
					   .value = value};
}

/* An element is seen again, after something was taken at sequence 10 from the value 7. */
static void test_seen_again(void **state)
{
	static const struct {
		bool is_truncated;
		uint64_t sequence, removed;
		bool has_base, is_untouched;
	} cases[] = {
		{false, 10, 1, true, true},   /* cleared, no update since */
		{false, 14, 1, true, false},  /* cleared, two updates */
		{true, 14, 10, true, false},  /* truncated while it was updated */
		{true, 12, 1, false, false},  /* truncated, started again */
		{true, 30, 20, false, false}, /* the same, and named once more */
	};
	const uint64_t seven = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct agg_baseline b = {0};
		struct agg_baseline_taken t =
			taken(10, cases[i].is_truncated, &seven, 1);
		struct agg_entry_view e = {.agg = 1,
					   .key = &key,
					   .key_size = sizeof(key),
					   .sequence = cases[i].sequence,
					   .removed = cases[i].removed};
		bool is_untouched;
		const uint64_t *base;

		agg_baseline_put(&b, &t);
		base = agg_baseline_find(&b, 2, &e, &is_untouched);
		assert_int_equal(base != NULL, cases[i].has_base);
		assert_int_equal(is_untouched, cases[i].is_untouched);
		if (base)
			assert_int_equal(*base, 7);
		assert_null(agg_baseline_find(&b, 3, &e, &is_untouched));
		agg_baseline_release(&b);
	}
}

/* The last taking counts; many keys stay apart. */
static void test_put_again(void **state)
{
	struct agg_baseline b = {0};
	struct agg_entry_view e = {.agg = 1, .key_size = 8, .sequence = 9};
	bool is_untouched;

	(void)state;
	for (uint64_t turn = 0; turn < 2; turn++) {
		for (uint64_t k = 0; k < 1000; k++) {
			uint64_t value = k * 10 + turn;
			struct agg_baseline_taken t = taken(2, false, &value, 1);

			t.key = &k;
			agg_baseline_put(&b, &t);
		}
	}
	for (uint64_t k = 0; k < 1000; k++) {
		const uint64_t *base;

		e.key = &k;
		base = agg_baseline_find(&b, 2, &e, &is_untouched);
		assert_non_null(base);
		assert_int_equal(*base, k * 10 + 1);
	}
	agg_baseline_release(&b);
}

/* Truncated elements are forgotten in time, unless their owner went on adding. */
static void test_purge(void **state)
{
	struct agg_baseline b = {0};
	const uint64_t one = 1;
	bool is_untouched;

	(void)state;
	for (uint64_t k = 0; k < 10; k++) {
		struct agg_baseline_taken t = taken(10, k != 3, &one, 1);

		t.key = &k;
		agg_baseline_put(&b, &t);
	}
	for (uint64_t k = 3; k < 6; k++) {
		struct agg_entry_view e = {
			.agg = 1, .key = &k, .key_size = 8, .sequence = 12};

		e.removed = k == 5 ? 1 : 10; /* 4 goes on, 5 starts again */
		assert_int_equal(agg_baseline_find(&b, 2, &e, &is_untouched) != NULL,
				 k != 5);
	}
	agg_baseline_purge(&b, 1000); /* none is older */
	for (int turn = 0; turn < 2; turn++) {
		for (uint64_t k = 0; k < 10; k++) {
			struct agg_entry_view e = {.agg = 1,
						   .key = &k,
						   .key_size = 8,
						   .sequence = 12,
						   .removed = 10};
			bool stays = k == 3 || k == 4;

			if (turn || stays)
				assert_int_equal(
					agg_baseline_find(&b, 2, &e, &is_untouched) !=
						NULL,
					stays);
		}
		agg_baseline_purge(&b, 1001);
	}
	agg_baseline_release(&b);
}

static void test_subtract(void **state)
{
	static const struct {
		struct program_agg agg;
		uint64_t value[4], base[4], left[4];
	} cases[] = {
		{{.func = AGG_count, .words = 1}, {10}, {4}, {6}},
		{{.func = AGG_sum, .words = 1}, {5}, {9}, {(uint64_t)-4}},
		{{.func = AGG_avg, .words = 2}, {5, 100}, {2, 70}, {3, 30}},
		{{.func = AGG_stddev, .words = 4},
		 {3, 9, 5, 8},
		 {1, 4, 6, 2},
		 {2, 5, UINT64_MAX, 5}},
		{{.func = AGG_stddev, .words = 4},
		 {3, 9, 6, 8},
		 {1, 4, 6, 8},
		 {2, 5, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t value[4];

		memcpy(value, cases[i].value, sizeof(value));
		agg_baseline_subtract(&cases[i].agg, value, cases[i].base);
		for (uint32_t w = 0; w < cases[i].agg.words; w++)
			assert_true(value[w] == cases[i].left[w]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seen_again),
		cmocka_unit_test(test_put_again),
		cmocka_unit_test(test_purge),
		cmocka_unit_test(test_subtract),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
