/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/tsc_clock.h"

#define TICKS_A_US 2600
#define TICKS_A_MS (TICKS_A_US * UINT64_C(1000))

/* The clock of a machine of 2.6 GHz whose counter and clock began at these. */
#define COUNTER UINT64_C(123456789012)
#define CLOCK	UINT64_C(987654321098)

static uint64_t ticks_at(uint64_t us)
{
	return COUNTER + us * TICKS_A_US;
}

static uint64_t time_at(uint64_t us)
{
	return CLOCK + us * 1000;
}

/* Reading takes a hundred ticks. */
static uint64_t set(struct tsc_clock *c, uint64_t us)
{
	return tsc_clock_set(c, ticks_at(us) - 50, time_at(us), ticks_at(us) + 50);
}

static void begin(struct tsc_clock *c)
{
	*c = (struct tsc_clock){0};
	set(c, 0);
	set(c, 1000);
}

static void test_rate(void **state)
{
	struct tsc_clock c = {0};

	(void)state;
	assert_int_equal(tsc_clock_at(&c, ticks_at(0)), 0);
	assert_int_equal(set(&c, 0), time_at(0));
	assert_int_equal(tsc_clock_at(&c, ticks_at(1)), 0); /* the rate is not known */
	set(&c, 100);
	assert_int_equal(tsc_clock_at(&c, ticks_at(101)), 0); /* too short a span */
	set(&c, 1000);
	for (uint64_t us = 1000; us < 1100; us++)
		assert_in_range(tsc_clock_at(&c, ticks_at(us)), time_at(us) - 1,
				time_at(us));
	assert_int_equal(tsc_clock_at(&c, ticks_at(1000) + TSC_CLOCK_WINDOW), 0);
	/* For as long as a thread may live. */
	for (uint64_t us = 1500; us < 100 * 1000 * 1000; us = us * 3 / 2) {
		set(&c, us);
		if (us < 5 * 1000 * 1000) /* else measuring begins anew */
			assert_in_range(tsc_clock_at(&c, ticks_at(us + 90)),
					time_at(us + 90) - 1, time_at(us + 90));
	}
}

static void test_never_back(void **state)
{
	struct tsc_clock c;
	uint64_t late;

	(void)state;
	begin(&c);
	late = tsc_clock_at(&c, ticks_at(1059) + TICKS_A_US - 1);
	assert_int_equal(tsc_clock_at(&c, ticks_at(1059)), late);
	/* Another processor is behind. */
	assert_int_equal(tsc_clock_at(&c, ticks_at(999)), 0);
	/* The clock of the system says less than was said before. */
	assert_int_equal(tsc_clock_set(&c, ticks_at(1060) - 50, time_at(1060) - 600,
				       ticks_at(1060) + 50),
			 late);
	assert_int_equal(tsc_clock_at(&c, ticks_at(1060) + 100), late);
	assert_true(tsc_clock_at(&c, ticks_at(1062)) > late);
}

/* What an interrupted reading says of the counter is not used. */
static void test_interrupted(void **state)
{
	struct tsc_clock c;

	(void)state;
	begin(&c);
	assert_int_equal(tsc_clock_set(&c, ticks_at(2000), time_at(2000),
				       ticks_at(2000) + TICKS_A_US),
			 time_at(2000));
	assert_int_equal(tsc_clock_at(&c, ticks_at(2001)), 0);
	set(&c, 2010);
	assert_in_range(tsc_clock_at(&c, ticks_at(2011)), time_at(2011) - 1,
			time_at(2011));
}

/* The machine was suspended, or is another one: the rate is measured anew. */
static void test_jumps(void **state)
{
	static const struct {
		uint64_t ticks,
			time; /* of the clocks after ten ms, from the start on */
	} cases[] = {
		{TICKS_A_MS * 5, 10000000},	      /* the counter stood still */
		{TICKS_A_MS * 10, 5000000},	      /* the clock did */
		{0 - COUNTER + TICKS_A_MS, 10000000}, /* the counter begins at 0 */
		{TICKS_A_MS * 9000, UINT64_C(9000000000)},
		{TICKS_A_MS * 10, UINT64_C(1) << 62},
		{0 - TICKS_A_MS, 10000000},
		{TICKS_A_MS, UINT64_C(10000000000)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const uint64_t ticks = COUNTER + cases[i].ticks;
		const uint64_t time = CLOCK + cases[i].time;
		struct tsc_clock c;

		begin(&c);
		tsc_clock_set(&c, ticks - 50, time, ticks + 50);
		assert_int_equal(tsc_clock_at(&c, ticks + 10), 0);
		tsc_clock_set(&c, ticks + TICKS_A_MS - 50, time + 1000000,
			      ticks + TICKS_A_MS + 50);
		assert_in_range(tsc_clock_at(&c, ticks + TICKS_A_MS + TICKS_A_US),
				time + 1001000 - 1, time + 1001000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_never_back),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
