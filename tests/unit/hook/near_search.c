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

#define SHADOW NEAR_SHADOW /* the first of its addresses, rounded down */

/* A program at a fixed address whose heap takes what is below the shadow. */
static void test_near_shadow(void **state)
{
	const struct addr_range near = R(0x10000000, 0x10001000);
	const struct addr_range maps[] = {R(0x10000, 0x10001000),
					  R(0x10002000, SHADOW - PAGE * 4),
					  R(SHADOW + GIB, SHADOW + GIB + PAGE)};
	struct near_space space = {maps, 2, R(0, 0), R(0, 0), 0x10000};
	taddr found = {0};

	(void)state;
	assert_int_equal(near_search(&space, near, PAGE * 3, &found), 0);
	assert_int_equal(found.v, SHADOW - PAGE * 3);
	assert_int_equal(near_search(&space, near, PAGE * 4, &found), STATUS_FULL);
	/* That program has no shadow there. */
	space.nmaps = 3;
	assert_int_equal(near_search(&space, near, PAGE * 4, &found), 0);
	assert_int_equal(found.v, SHADOW - PAGE * 3);
}

/* How the kernel lays a process out. */
static const struct layout {
	const char *what;
	struct addr_range maps[4];
	size_t nmaps;
	struct addr_range heap, stack;
	uint64_t below; /* what is far is so much below this */
} layouts[] = {
	{"addresses not at random: the libraries are where a stack may grow to",
	 {R(PIE, PIE + 0x5000), R(0x7ffff7c00000, 0x7ffff7fff000)},
	 2,
	 R(PIE + 0x5000, PIE + 0x26000),
	 R(0x7ffffffde000 - GIB / 4, STACK_END),
	 0x7ffffffde000 - GIB / 4},
	{"the same, with more libraries",
	 {R(PIE, PIE + 0x5000), R(0x7fffd7c00000, 0x7ffff7fff000)},
	 2,
	 R(PIE + 0x5000, PIE + 0x26000),
	 R(0x7ffffffde000 - GIB / 4, STACK_END),
	 0x7fffd7c00000 - PAGE},
	{"the lowest libraries, the highest program",
	 {R(0x565555554000, 0x565555559000), R(0x7effe0000000, 0x7effe0400000)},
	 2,
	 R(0x565595559000, 0x56559557a000),
	 R(0x7ffc00000000 - GIB / 4, 0x7ffc00021000),
	 0x7effe0000000 - PAGE},
	{"a gap among the libraries that is large, but not enough",
	 {R(PIE, PIE + 0x5000), R(0x7f0000000000 - GIB * 8, 0x7f0000000000 - GIB * 7),
	  R(0x7f0000000000, 0x7f0000400000)},
	 3,
	 R(PIE + 0x5000, PIE + 0x26000),
	 R(0x7ffc00000000 - GIB / 4, 0x7ffc00021000),
	 0x7f0000000000 - GIB * 8 - PAGE},
	{"a static program",
	 {R(0x400000, 0x4c0000)},
	 1,
	 R(0x500000, 0x521000),
	 R(0x7ffffffde000 - GIB / 4, STACK_END),
	 0x7ffffffde000 - GIB / 4},
	{"a static program at any address",
	 {R(0x7ffff7f00000, 0x7ffff7fff000)},
	 1,
	 R(PIE, PIE + 0x21000),
	 R(0x7ffffffde000 - GIB / 4, STACK_END),
	 0x7ffffffde000 - GIB / 4},
	{"mappings from the middle upwards: a stack without a limit",
	 {R(PIE, PIE + 0x5000), R(0x2aaaaaaab000, 0x2aaaaaf00000)},
	 2,
	 R(PIE + 0x5000, PIE + 0x26000),
	 R(0x7ffffffde000 - GIB / 4, STACK_END),
	 0x7ffffffde000 - GIB / 4},
};

static struct near_space space_of(const struct layout *l)
{
	return (struct near_space){l->maps, l->nmaps, l->heap, l->stack, 0x10000};
}

static void test_far(void **state)
{
	static const uint64_t sizes[] = {PAGE, 16 * GIB, 100 * GIB};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(layouts) * ARRAY_LEN(sizes); i++) {
		const struct layout *l = &layouts[i / ARRAY_LEN(sizes)];
		uint64_t size = sizes[i % ARRAY_LEN(sizes)];
		struct near_space space = space_of(l);
		taddr found = {0};

		assert_int_equal(near_search_far(&space, size, &found), 0);
		if (found.v != l->below - NEAR_FAR - size)
			fail_msg("%s: %llx", l->what, (unsigned long long)found.v);
	}
}

/* Nearer where there is less room; never below where the kernel begins. */
static void test_far_room(void **state)
{
	struct addr_range maps[] = {R(NEAR_LIBRARIES + 9 * GIB, LIB)};
	struct near_space space = {maps, 1, R(0, 0), R(LIB, STACK_END), 0x10000};
	taddr found = {0};

	(void)state;
	assert_int_equal(near_search_far(&space, GIB, &found), 0);
	assert_int_equal(found.v, NEAR_LIBRARIES + 4 * GIB - PAGE);
	assert_int_equal(near_search_far(&space, 9 * GIB - PAGE * 2, &found), 0);
	assert_int_equal(found.v, NEAR_LIBRARIES);
	assert_int_equal(near_search_far(&space, 9 * GIB, &found), STATUS_FULL);
	assert_int_equal(near_search_far(&space, 0, &found), STATUS_INVAL);
	assert_int_equal(near_search_far(&space, ANY, &found), STATUS_INVAL);
}

/* The highest free addresses in a range. */
static void test_in(void **state)
{
	const struct addr_range maps[] = {R(LIB, LIB + PAGE * 2)};
	const struct addr_range within = R(LIB - PAGE * 9, LIB + PAGE * 6);
	struct near_space space = {maps, 1, R(0, 0), R(0, 0), 0x10000};
	taddr found = {0};

	(void)state;
	assert_int_equal(near_search_in(&space, within, PAGE * 3, &found), 0);
	assert_int_equal(found.v, LIB + PAGE * 3);
	assert_int_equal(near_search_in(&space, within, PAGE * 3 + 1, &found), 0);
	assert_int_equal(found.v, LIB - PAGE * 5);
	assert_int_equal(near_search_in(&space, within, PAGE * 9, &found), STATUS_FULL);
	assert_int_equal(near_search_in(&space, within, 0, &found), STATUS_INVAL);
	assert_int_equal(near_search_in(&space, within, ANY, &found), STATUS_INVAL);
}

/* Where a program does without mappings of others, whatever its layout. */
static const struct owner {
	const char *what;
	struct addr_range free[4]; /* else its own; hi 0: no more */
} owners[] = {
	{"AddressSanitizer", {R(0, 0x7fff7000), R(0x10007fff8000, STACK_END)}},
	{"ThreadSanitizer",
	 {R(0, 0x10000000000), R(0x550000000000, 0x568000000000),
	  R(0x7e8000000000, STACK_END)}},
	{"MemorySanitizer, DataFlowSanitizer",
	 {R(0, 0x10000000000), R(0x510000000000, 0x600000000000),
	  R(0x700000000000, STACK_END)}},
	/* the low half of a terabyte has the arenas of Go, from 0xc000000000 on */
	{"Go, compressed classes of Java, Wine, LuaJIT",
	 {R(0x110000, 0x80400000), R(0x010000000000, STACK_END)}},
	{"heaps of sanitizers", {R(0, 0x600000000000), R(0x7d0000000000, STACK_END)}},
};

static void check_owners(const struct layout *l, uint64_t lo, uint64_t size)
{
	for (size_t i = 0; i < ARRAY_LEN(owners); i++) {
		bool is_free = false;

		for (size_t k = 0; k < ARRAY_LEN(owners[i].free); k++)
			is_free |= lo >= owners[i].free[k].lo.v &&
				   lo + size <= owners[i].free[k].hi.v;
		if (!is_free)
			fail_msg("%s, %s: %llx + %llx", owners[i].what, l->what,
				 (unsigned long long)lo, (unsigned long long)size);
	}
}

/* Some stubs near each module; what does not grow, and below it what does. */
static void test_owners(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		const struct layout *l = &layouts[i];
		struct near_space space = space_of(l);
		struct addr_range more[5];
		taddr found = {0};

		for (size_t k = 0; k < l->nmaps; k++) {
			/* A low library: other programs do not even start so. */
			if (l->maps[k].lo.v >> 40 == 0x2a)
				continue;
			assert_int_equal(
				near_search(&space, l->maps[k], 0x100000, &found), 0);
			check_owners(l, found.v, 0x100000);
		}
		assert_int_equal(near_search_far(&space, 16 * GIB, &found), 0);
		check_owners(l, found.v, 16 * GIB);
		for (size_t k = 0; k < l->nmaps; k++)
			more[k] = l->maps[k];
		more[l->nmaps] = (struct addr_range){found, taddr_add(found, PAGE)};
		space.maps = more;
		space.nmaps++;
		assert_int_equal(near_search_far(&space, 64 * GIB, &found), 0);
		check_owners(l, found.v, 64 * GIB);
	}
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
		{R(NEAR_SHADOW_END - PAGE, NEAR_SHADOW_END), false},
		{R(NEAR_SHADOW_END, NEAR_SHADOW_END + PAGE), true},
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
		cmocka_unit_test(test_near),	cmocka_unit_test(test_near_shadow),
		cmocka_unit_test(test_far),	cmocka_unit_test(test_far_room),
		cmocka_unit_test(test_in),	cmocka_unit_test(test_owners),
		cmocka_unit_test(test_is_free), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
