/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"
#include "vm/own_time.h"

/* One firing after the other: when it begins and ends, and what the thread's time is. */
static void test_stands_still(void **state)
{
	static const struct {
		uint64_t way, begin, end, now;
	} cases[] = {
		{10, 1000, 1500, 1000}, /* begins with the clock */
		{10, 1600, 1700, 1090}, /* 100 between, less the way */
		{10, 1710, 1800, 1090}, /* nothing is left */
		{10, 1801, 1900, 1090}, /* less than the way: it does not go back */
		{10, 1850, 1900, 1090}, /* nor where the clock does */
		{40, 2000, 2000, 1165}, /* halves of two ways: 5 and 20 */
		{0, 2020, 2500, 1165},	{0, 2600, 2600, 1265},
	};
	struct own_time t = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(own_time_enter(&t, cases[i].begin, cases[i].way),
				 cases[i].now);
		assert_int_equal(t.now, cases[i].now);
		own_time_leave(&t, cases[i].end, cases[i].way);
	}
	/* A firing that never ended, as of a thread that was killed in it. */
	assert_int_equal(own_time_enter(&t, 2700, 0), 1365);
	assert_int_equal(own_time_enter(&t, 2800, 0), 1465);
}

/* Whoever tells late that a firing has ended does not touch the next one. */
static void test_late(void **state)
{
	struct own_time t = {0};

	(void)state;
	own_time_enter(&t, 1000, 0);
	own_time_leave_late(&t, 1000, 1400, 20);
	assert_int_equal(own_time_enter(&t, 1500, 0), 1090);
	own_time_enter(&t, 1600, 0);
	own_time_leave_late(&t, 1500, 1550, 0);
	assert_int_equal(own_time_enter(&t, 1700, 0), 1290);
}

/* It is never 0, and any number that a target writes gives some other one. */
static void test_numbers(void **state)
{
	static const uint64_t numbers[] = {0, 1, 1000, INT64_MAX, UINT64_MAX};
	struct own_time t = {0};

	(void)state;
	assert_int_equal(own_time_enter(&t, 0, 100), 1);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++) {
			t.now = numbers[i];
			t.left = numbers[k];
			own_time_enter(&t, 5000, numbers[i]);
			own_time_leave(&t, 5000, numbers[k]);
		}
	}
}

/* The block tells all of the run whether there are such times; slots have one each. */
static void test_block(void **state)
{
	struct builder *b = builder_new();
	const insn_t code[] = {I(END, 0, 0, 0, 0)};
	struct rig *r;

	(void)state;
	build_clause(b, code, ARRAY_LEN(code));
	r = rig_new(b);
	assert_false(own_time_is_on(r->state));
	own_time_begin(r->state, (struct own_time_ways){7, 9000});
	assert_true(own_time_is_on(r->state));
	assert_int_equal(own_time_ways(r->state).jump, 7);
	assert_int_equal(own_time_ways(r->state).stop, 9000);
	own_time_enter(own_time_of(r->state, 0), 5, 0);
	assert_int_equal(own_time_of(r->state, 0)->now, 5);
	assert_int_equal(own_time_of(r->state, 1)->now, 0);
	rig_free(r);
}

/* timestamp is it; records keep the clock, by which they are ordered. */
static void test_records(void **state)
{
	struct builder *b = builder_new();
	const insn_t code[] = {I(BI, 0, 0, 0, BUILTIN_timestamp), I(TUP, 0, 0, 0, 0),
			       I(TPI, 0, 0, 8, 0), I(REC, 0, 0, 0, 0),
			       I(END, 0, 0, 0, 0)};
	const struct record *record;
	struct rig *r;
	uint64_t shown;

	(void)state;
	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	build_clause(b, code, ARRAY_LEN(code));
	r = rig_new(b);
	r->world.clock = 500;
	r->vm.own_time = 300;
	rig_fire(r);
	record = rig_record(r);
	assert_non_null(record);
	assert_int_equal(record->time, 501);
	memcpy(&shown, (const char *)rig_body(r) + sizeof(struct record_item), 8);
	assert_int_equal(shown, 300);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stands_still), cmocka_unit_test(test_late),
		cmocka_unit_test(test_numbers),	     cmocka_unit_test(test_block),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
