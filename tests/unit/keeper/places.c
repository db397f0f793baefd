/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/keeper/space/places.h"

static bool may_have(const struct places *p, uint64_t lo, uint64_t hi)
{
	return places_may_have(p, taddr_of(lo), taddr_of(hi));
}

/* No range that holds something is said to be empty: also across pages and the end. */
static void test_never_misses(void **state)
{
	static const uint64_t at[] = {0x1000, 0x1fff,	  0x2000,	 0x40003f,
				      0,      UINT64_MAX, 0x7fffffffffff};
	struct places p = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		assert_false(may_have(&p, at[i] - 100, at[i] + 100));
		places_set(&p, taddr_of(at[i]), 1);
		for (uint64_t lo = 0; lo < 200; lo += 7)
			for (uint64_t n = 1; n < 200; n += 13)
				if (lo < n)
					assert_true(may_have(&p, at[i] - lo,
							     at[i] - lo + n));
		places_release(&p);
	}
}

/* Addresses of other granules are not said to hold something. */
static void test_says_no(void **state)
{
	struct places p = {0};

	(void)state;
	places_set(&p, taddr_of(0x1040), 1);
	assert_true(may_have(&p, 0x107f, 0x1080));
	assert_false(may_have(&p, 0x1080, 0x2040));
	assert_false(may_have(&p, 0x1000, 0x1040));
	assert_false(may_have(&p, 0x2040, 0x2080));
	assert_false(may_have(&p, 0x1040, 0x1040));
	places_release(&p);
}

#define BASE	(UINT64_MAX - 4999) /* the pages at both ends of the address space */
#define NPLACES 10000u

/* A table of all places: what is there, or 0. */
struct model {
	struct places places;
	uint32_t number[NPLACES];
	size_t len;
};

static taddr place(uint64_t i)
{
	return taddr_of(BASE + i);
}

static void check_one(const struct model *m, uint64_t i)
{
	uint32_t number = 0;

	assert_int_equal(places_get(&m->places, place(i), &number), m->number[i] != 0);
	assert_int_equal(number, m->number[i]);
}

static void check_last(const struct model *m, uint64_t lo, uint64_t hi)
{
	uint32_t number = 0, expected = 0;

	for (uint64_t i = lo; i < hi; i++)
		expected = m->number[i] ? m->number[i] : expected;
	assert_int_equal(places_last(&m->places, place(lo), place(hi), &number),
			 expected != 0);
	assert_int_equal(number, expected);
}

static uint64_t random_below(uint64_t n)
{
	static uint64_t x = 1;

	x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (x >> 33) % n;
}

static void change(struct model *m, uint64_t i, uint32_t number)
{
	m->len += !m->number[i] && number;
	m->len -= m->number[i] && !number;
	m->number[i] = number;
	if (number)
		places_set(&m->places, place(i), number);
	else
		places_remove(&m->places, place(i));
	assert_int_equal(m->places.len, m->len);
}

/* Set in any order, replaced and removed; and what is the last in a range. */
static void test_as_a_table(void **state)
{
	static struct model m;

	(void)state;
	for (uint32_t turn = 1; turn < 20000; turn++) {
		uint64_t i = random_below(NPLACES), lo = random_below(NPLACES - 4096);
		uint64_t spread = turn % 2 ? 4096 : 40;

		change(&m, i, random_below(3) ? turn : 0);
		check_one(&m, i);
		check_one(&m, random_below(NPLACES));
		check_last(&m, lo, lo + random_below(spread + 1));
	}
	places_release(&m.places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never_misses),
		cmocka_unit_test(test_says_no),
		cmocka_unit_test(test_as_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
