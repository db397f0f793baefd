/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hook/near_search.h"
#include "vm/base/status.h"

#define GIB  (UINT64_C(1) << 30)
#define PAGE NEAR_PAGE
#define ANY  UINT64_MAX

#define R(lo, hi)                                                                      \
	{                                                                              \
		{lo},                                                                  \
		{                                                                      \
			hi                                                             \
		}                                                                      \
	}

struct near_case {
	const char *what;
	struct addr_range maps[6];
	size_t nmaps;
	struct addr_range heap, stack, near;
	uint64_t size;
	int status;
	uint64_t found;
};

#define PIE	  UINT64_C(0x555555554000)
#define LIB	  UINT64_C(0x7f0000000000)
#define STACK_END UINT64_C(0x7ffffffff000)

static const struct near_case cases[] = {
	{"right below, a page left free",
	 {R(PIE, PIE + PAGE * 9)},
	 1,
	 R(PIE + PAGE * 9, PIE + PAGE * 9),
	 R(STACK_END - 8 * GIB, STACK_END),
	 R(PIE, PIE + PAGE * 9),
	 PAGE * 2,
	 0,
	 PIE - PAGE * 3},
	{"size is rounded up to pages",
	 {R(PIE, PIE + PAGE)},
	 1,
	 R(0, 0),
	 R(0, 0),
	 R(PIE, PIE + PAGE),
	 PAGE + 1,
	 0,
	 PIE - PAGE * 3},
	{"below another mapping when the gap is small",
	 {R(LIB - PAGE * 20, LIB - PAGE * 3), R(LIB, LIB + PAGE)},
	 2,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + PAGE),
	 PAGE * 2,
	 0,
	 LIB - PAGE * 23},
	{"a gap that fits exactly",
	 {R(LIB - PAGE * 20, LIB - PAGE * 4), R(LIB, LIB + PAGE)},
	 2,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + PAGE),
	 PAGE * 2,
	 0,
	 LIB - PAGE * 3},
	{"not below the lowest address; above, but not near the heap",
	 {R(0x400000, 0x500000)},
	 1,
	 R(0x510000, 0x600000),
	 R(0, 0),
	 R(0x400000, 0x500000),
	 0x400000,
	 0,
	 0x600000 + GIB},
	{"the little room below a program at 4 MiB is used",
	 {R(0x400000, 0x500000)},
	 1,
	 R(0x510000, 0x600000),
	 R(0, 0),
	 R(0x400000, 0x500000),
	 0x100000,
	 0,
	 0x400000 - PAGE - 0x100000},
	{"no heap yet",
	 {R(0x400000, 0x500000)},
	 1,
	 R(0x510000, 0x510000),
	 R(0, 0),
	 R(0x400000, 0x500000),
	 0x400000,
	 0,
	 0x510000 + GIB},
	{"above, behind what is mapped beyond the heap's room",
	 {R(0x400000, 0x500000), R(0x510000, 0x600000),
	  R(0x600000 + GIB, 0x700000 + GIB)},
	 3,
	 R(0x510000, 0x600000),
	 R(0, 0),
	 R(0x400000, 0x500000),
	 0x400000,
	 0,
	 0x700000 + GIB + PAGE},
	{"everything below is taken within reach",
	 {R(LIB - 3 * GIB, LIB)},
	 1,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + PAGE * 4),
	 PAGE,
	 0,
	 LIB + PAGE * 4},
	{"all around is taken",
	 {R(LIB - 3 * GIB, LIB + 3 * GIB)},
	 1,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + PAGE),
	 PAGE,
	 STATUS_FULL,
	 0},
	{"the gap is out of reach of the module's end",
	 {R(LIB - GIB, LIB + GIB + GIB / 2), R(LIB + GIB + GIB / 2, LIB + 4 * GIB)},
	 2,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + GIB + GIB / 2),
	 PAGE,
	 STATUS_FULL,
	 0},
	{"never where the stack may grow",
	 {R(STACK_END - PAGE * 4, STACK_END)},
	 1,
	 R(0, 0),
	 R(STACK_END - GIB, STACK_END),
	 R(STACK_END - GIB / 2, STACK_END - GIB / 4),
	 PAGE,
	 0,
	 STACK_END - GIB - PAGE},
	{"the heap of a program loaded right below a library",
	 {R(LIB, LIB + PAGE)},
	 1,
	 R(LIB - PAGE * 100, LIB - PAGE * 50),
	 R(0, 0),
	 R(LIB, LIB + PAGE),
	 PAGE,
	 0,
	 LIB - PAGE * 101},
	{"nothing mapped",
	 {R(0, 0)},
	 0,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + PAGE),
	 PAGE,
	 0,
	 LIB - PAGE},
	{"no size",
	 {R(0, 0)},
	 0,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + PAGE),
	 0,
	 STATUS_INVAL,
	 0},
	{"no module",
	 {R(0, 0)},
	 0,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB),
	 PAGE,
	 STATUS_INVAL,
	 0},
	{"too large a module",
	 {R(0, 0)},
	 0,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + 3 * GIB),
	 PAGE,
	 STATUS_INVAL,
	 0},
	{"no such size",
	 {R(0, 0)},
	 0,
	 R(0, 0),
	 R(0, 0),
	 R(LIB, LIB + PAGE),
	 ANY,
	 STATUS_INVAL,
	 0},
	{"maps that make no sense",
	 {R(ANY, 5), R(LIB, ANY), R(7, 3)},
	 3,
	 R(ANY, ANY),
	 R(ANY, 1),
	 R(LIB, LIB + PAGE),
	 PAGE,
	 0,
	 LIB - PAGE * 2},
};

static void test_near(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct near_case *c = &cases[i];
		struct near_space space = {c->maps, c->nmaps, c->heap, c->stack,
					   0x10000};
		taddr found = {0};
		int status = near_search(&space, c->near, c->size, &found);

		if (status != c->status || found.v != c->found)
			fail_msg("%s: status %d, address %llx, expected %llx", c->what,
				 status, (unsigned long long)found.v,
				 (unsigned long long)c->found);
	}
}

#define SHADOW UINT64_C(0x7fff0000) /* the first of its addresses, rounded down */

static const struct {
	struct addr_range maps[2];
	size_t nmaps;
	struct addr_range heap;
	uint64_t size;
	int status;
	uint64_t found;
} low_cases[] = {
	/* a program with AddressSanitizer does not start if that is taken */
	{{R(0, 0)}, 0, R(0, 0), PAGE, 0, SHADOW - PAGE},
	{{R(PIE, PIE + PAGE)}, 1, R(0, 0), PAGE * 3 + 7, 0, SHADOW - PAGE * 4},
	{{R(0x400000, 0x500000)}, 1, R(0x600000, 0x700000), PAGE, 0, SHADOW - PAGE},
	/* a heap of a gigabyte: only below the program */
	{{R(0x400000, 0x500000)}, 1, R(0x600000, GIB), PAGE, 0, 0x600000 - PAGE},
	{{R(0x20000, 2 * GIB)}, 1, R(0, 0), PAGE * 15, 0, 0x10000},
	{{R(0x20000, 2 * GIB)}, 1, R(0, 0), PAGE * 16, STATUS_FULL, 0},
	{{R(0x10000, 2 * GIB)}, 1, R(0, 0), PAGE, STATUS_FULL, 0},
	{{R(0, 0)}, 0, R(0, 0), 0, STATUS_INVAL, 0},
	{{R(0, 0)}, 0, R(0, 0), ANY, STATUS_INVAL, 0},
};

static void test_low(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(low_cases); i++) {
		struct near_space space = {low_cases[i].maps, low_cases[i].nmaps,
					   low_cases[i].heap, R(0, 0), 0x10000};
		taddr found = {0};

		assert_int_equal(near_search_low(&space, low_cases[i].size, &found),
				 low_cases[i].status);
		assert_int_equal(found.v, low_cases[i].found);
	}
}

/* In the highest room, apart from everything. */
static void test_away(void **state)
{
	const struct addr_range maps[] = {R(0x400000, 0x500000), R(LIB, LIB + GIB)};
	struct near_space space = {maps, 2, R(0x500000, 0x600000),
				   R(LIB + GIB * 40, NEAR_USER_END), 0x10000};
	taddr found = {0};

	(void)state;
	assert_int_equal(near_search_away(&space, 5 * GIB, &found), 0);
	assert_int_equal(found.v, LIB + GIB * 40 - NEAR_AWAY - 5 * GIB);
	assert_int_equal(near_search_away(&space, 50 * GIB, &found), 0);
	assert_int_equal(found.v, LIB - PAGE - NEAR_AWAY - 50 * GIB);
	assert_int_equal(near_search_away(&space, 0, &found), STATUS_INVAL);
	assert_int_equal(near_search_away(&space, NEAR_USER_END, &found), STATUS_INVAL);
	assert_int_equal(near_search_away(&space, LIB, &found), STATUS_FULL);
}

/* Pages that are wanted, and no others. */
static void test_is_free(void **state)
{
	static const struct {
		struct addr_range pages;
		bool is_free;
	} table[] = {
		{R(LIB - PAGE * 9, LIB - PAGE * 8), true},
		{R(LIB - PAGE * 9, LIB - PAGE * 7), true},
		{R(LIB - PAGE * 2, LIB - PAGE), true},
		{R(LIB - PAGE, LIB), false}, /* beside the library */
		{R(LIB - PAGE * 2, LIB), false},
		{R(LIB, LIB + PAGE), false},
		{R(LIB + PAGE * 2, LIB + PAGE * 3), false},
		{R(LIB + PAGE * 3, LIB + PAGE * 4), true},
		{R(PIE + PAGE * 2, PIE + PAGE * 3), false}, /* where the heap goes */
		{R(PIE + GIB, PIE + GIB + PAGE), false},
		{R(PIE + GIB * 2, PIE + GIB * 2 + PAGE), true},
		{R(STACK_END - GIB * 8, STACK_END - GIB * 8 + PAGE), false},
		{R(STACK_END - GIB * 9, STACK_END - GIB * 9 + PAGE), true},
		{R(STACK_END, STACK_END + PAGE), false},
		{R(ANY - PAGE * 2 + 1, ANY - PAGE + 1), false},
		{R(0x8000, 0x9000), false}, /* below what may be mapped */
		{R(0x20000, 0x21000), true},
		{R(SHADOW - PAGE, SHADOW), true},
		{R(SHADOW, SHADOW + PAGE), false},
		{R(NEAR_LOW_AGAIN - PAGE, NEAR_LOW_AGAIN), false},
		{R(NEAR_LOW_AGAIN, NEAR_LOW_AGAIN + PAGE), true},
		{R(LIB, LIB), false},
		{R(LIB - PAGE * 8, LIB - PAGE * 9), false},
	};
	const struct addr_range maps[] = {R(PIE, PIE + PAGE), R(LIB, LIB + PAGE * 2)};
	const struct near_space space = {maps, 2, R(PIE + PAGE * 2, PIE + PAGE * 2),
					 R(STACK_END - GIB * 8, STACK_END), 0x10000};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (near_space_is_free(&space, table[i].pages) != table[i].is_free)
			fail_msg("%llx", (unsigned long long)table[i].pages.lo.v);
}

/* Whatever is found is free, within reach and away from heap and stack. */
static void test_random(void **state)
{
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (int turn = 0; turn < 20000; turn++) {
		struct addr_range maps[8], near = R(LIB, LIB + 0x100000);
		uint64_t at = LIB - 5 * GIB / 2, size;
		struct near_space space = {maps, 8, R(0, 0), R(0, 0), 0x10000};
		taddr found;

		for (int i = 0; i < 8; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			at += align_down(seed % (GIB / 2), PAGE);
			maps[i].lo.v = at;
			at += align_down((seed >> 32) % (GIB / 2), PAGE) + PAGE;
			maps[i].hi.v = at;
		}
		space.heap = maps[seed % 8];
		space.stack = maps[(seed >> 8) % 8];
		size = align_up(1 + (seed >> 16) % (GIB / 4), PAGE);
		if (near_search(&space, near, size, &found) != 0)
			continue;
		for (int i = 0; i < 8; i++)
			assert_true(found.v + size < maps[i].lo.v ||
				    found.v > maps[i].hi.v);
		assert_true(found.v + size <= space.heap.lo.v ||
			    found.v >= space.heap.hi.v + GIB);
		assert_true(near.hi.v <= found.v + (2 * GIB - 1));
		assert_true(found.v + size <= near.lo.v + (2 * GIB - 1));
		assert_int_equal(found.v % PAGE, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near),   cmocka_unit_test(test_low),
		cmocka_unit_test(test_away),   cmocka_unit_test(test_is_free),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
