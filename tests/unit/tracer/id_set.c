/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/base/id_set.h"

/* Beside an array of flags: what is added is there, once, and nothing else. */
static void test_against_model(void **state)
{
	enum { IDS = 3000, STEPS = 2000 };
	static uint8_t model[IDS];
	struct id_set s = {0};
	size_t n = 0;

	(void)state;
	assert_false(id_set_has(&s, 0));
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t id = i * i * 7 % IDS;

		assert_int_equal(id_set_add(&s, id), !model[id]);
		n += !model[id];
		model[id] = 1;
		assert_int_equal(s.len, n);
	}
	for (uint32_t id = 0; id < IDS; id++)
		assert_int_equal(id_set_has(&s, id), model[id]);
	assert_false(id_set_has(&s, UINT32_MAX));
	id_set_release(&s);
	assert_int_equal(s.len, 0);
	assert_false(id_set_has(&s, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
