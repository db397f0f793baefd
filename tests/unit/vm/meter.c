/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"
#include "vm/meter.h"

#define METERS 2

/* A program that reads the clock once: each reading is 1 ns later than the last. */
static struct rig *metered(uint32_t nmeters)
{
	const insn_t code[] = {I(BI, 0, 0, 0, BUILTIN_timestamp), I(END, 0, 0, 0, 0)};
	struct builder *b = builder_new();
	struct state_config c;
	size_t size;
	void *image;

	build_clause(b, code, ARRAY_LEN(code));
	image = build_image(b, &size);
	c = rig_config(image);
	c.nmeters = nmeters;
	return rig_with(image, size, &c);
}

static void fire(struct rig *r, uint32_t probe, unsigned times)
{
	r->probe.id = probe;
	for (unsigned i = 0; i < times; i++)
		assert_true(vm_fire(&r->vm, &r->probe, VM_FIRE_NORMAL));
}

static void test_counts(void **state)
{
	static const struct meter expected[] = {
		{0, 9, 0, 0},	  /* those without a meter are counted together */
		{7, 200, 10, 10}, /* 2nd to 8th, 65th, 129th, 193rd */
		{5, 1, 0, 0},	  /* the first one is not measured */
	};
	struct rig *r = metered(METERS);
	struct meter m;

	(void)state;
	fire(r, 7, 1);
	fire(r, 5, 1);
	fire(r, 6, 1);
	fire(r, 7, 199);
	fire(r, 4, 8);
	for (uint32_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_true(meter_read(r->state, r->vm.slot, i, &m));
		assert_int_equal(m.probe, expected[i].probe);
		assert_int_equal(m.fired, expected[i].fired);
		if (i) {
			assert_int_equal(m.timed, expected[i].timed);
			assert_int_equal(m.ns, expected[i].ns);
		}
	}
	assert_false(meter_read(r->state, r->vm.slot, ARRAY_LEN(expected), &m));
	/* Another slot has its own. */
	assert_true(meter_read(r->state, STATE_SLOT_FRONT, 0, &m));
	assert_int_equal(m.fired, 0);
	assert_false(meter_read(r->state, STATE_SLOT_FRONT, 1, &m));
	rig_free(r);
}

/* An interruption counts as a limited time. */
static void test_outlier(void **state)
{
	struct rig *r = metered(METERS);
	struct meter m;

	(void)state;
	fire(r, 7, 2);
	r->world.clock_step = 1000000;
	fire(r, 7, 1);
	assert_true(meter_read(r->state, r->vm.slot, 1, &m));
	assert_int_equal(m.timed, 2);
	assert_int_equal(m.ns, 1 + 32 * 50);
	rig_free(r);
}

/* What does not fire is not counted; without meters nothing is. */
static void test_none(void **state)
{
	struct rig *r = metered(METERS);
	struct meter m;

	(void)state;
	state_stop(r->state);
	assert_false(vm_fire(&r->vm, &r->probe, VM_FIRE_NORMAL));
	assert_true(meter_read(r->state, r->vm.slot, 1, &m));
	assert_int_equal(m.fired, 0);
	rig_free(r);
	r = metered(0);
	fire(r, 7, 3);
	assert_false(meter_read(r->state, r->vm.slot, 0, &m));
	rig_free(r);
}

/* A probe that is switched off does not fire; others do. */
static void test_off(void **state)
{
	struct rig *r = metered(METERS);
	struct meter m;

	(void)state;
	fire(r, 7, 3);
	assert_true(meter_switch_off(r->state, 7));
	assert_false(vm_fire(&r->vm, &r->probe, VM_FIRE_NORMAL));
	fire(r, 6, 1);
	assert_true(meter_read(r->state, r->vm.slot, 1, &m));
	assert_int_equal(m.fired, 3);
	assert_false(meter_switch_off(r->state, METERS_OFF_MAX));
	r->vm.slot = STATE_SLOT_FRONT;
	r->probe.id = 7;
	assert_false(vm_fire(&r->vm, &r->probe, VM_FIRE_NORMAL));
	rig_free(r);
	r = metered(0);
	assert_false(meter_switch_off(r->state, 7));
	rig_free(r);
}

/* Sizes that are no power of two, or too large, are refused. */
static void test_sizes(void **state)
{
	static const struct {
		uint32_t nmeters;
		bool is_good;
	} cases[] = {{0, true},
		     {1, true},
		     {3, false},
		     {METERS_MAX, true},
		     {2 * METERS_MAX, false}};
	struct state_config c = {.nslots = 2, .strsize = 16};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		c.nmeters = cases[i].nmeters;
		assert_int_equal(state_size(&c) > 0, cases[i].is_good);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_outlier),
		cmocka_unit_test(test_none),   cmocka_unit_test(test_off),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
