/* SPDX-License-Identifier: MIT */
/* Where a thread in the code of clauses is, and where it goes on after a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hook/clause_code.h"

#define OLD UINT64_C(0x7f0000001000)
#define NEW UINT64_C(0x7f0000000000)

static struct native_light lights[] = {{0x20, 0x40, 0x50}, {0x80, 0x90, 0xa0}};

static void test_places(void **state)
{
	static const struct {
		uint64_t pc;
		bool is_held;
		uint64_t after; /* from the region on; 0: none */
	} cases[] = {
		{OLD - 1, false, 0},
		{OLD, true, 0},
		{OLD + 0x1f, true, 0},
		{OLD + 0x20, true, OLD + 0x50},
		{OLD + 0x3f, true, OLD + 0x50},
		{OLD + 0x40, true, 0},
		{OLD + 0x7f, true, 0},
		{OLD + 0x80, true, OLD + 0xa0},
		{OLD + 0x8f, true, OLD + 0xa0},
		{OLD + 0x90, true, 0},
		{OLD + 0xff, true, 0},
		{OLD + 0x100, false, 0},
		{NEW, true, 0},
		{NEW + 0x20, true, 0},
		{NEW + 0x80, false, 0},
		{0, false, 0},
		{UINT64_MAX, false, 0},
	};
	const struct native_code old = {.n = 0x100, .lights = lights, .nlights = 2};
	const struct native_code none = {.n = 0x80};
	struct clause_code c = {.now = {0}};

	(void)state;
	assert_false(clause_code_holds(&c, taddr_of(OLD)));
	clause_code_add(&c, taddr_of(OLD), &old);
	assert_int_equal(c.now.v, OLD);
	clause_code_add(&c, taddr_of(NEW), &none);
	assert_int_equal(c.now.v, NEW);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		taddr pc = taddr_of(cases[i].pc);

		assert_int_equal(clause_code_holds(&c, pc), cases[i].is_held);
		assert_int_equal(clause_code_after_fault(&c, pc).v, cases[i].after);
	}
	clause_code_leave(&c);
	assert_int_equal(c.now.v, 0);
	assert_true(clause_code_holds(&c, taddr_of(OLD)));
	clause_code_release(&c);
	assert_false(clause_code_holds(&c, taddr_of(OLD)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
