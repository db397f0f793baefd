/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vm/base/host/pulse.h"

#include <pthread.h>

static bool end_at(void *ctx)
{
	int *left = ctx;

	return (*left)-- == 0;
}

static void *look(void *ctx)
{
	bool *is_free = ctx;

	*is_free = !pulse_is_set() && !pulse();
	return NULL;
}

/* It is the thread's own, and says what its owner says. */
static void test_pulse(void **state)
{
	bool is_free = false;
	pthread_t other;
	int left = 2;

	(void)state;
	assert_false(pulse_is_set());
	assert_false(pulse());
	pulse_set(end_at, &left);
	assert_true(pulse_is_set());
	assert_false(pulse());
	assert_false(pulse());
	assert_int_equal(pthread_create(&other, NULL, look, &is_free), 0);
	pthread_join(other, NULL);
	assert_true(is_free);
	assert_true(pulse());
	pulse_set(NULL, NULL);
	assert_false(pulse());
	assert_int_equal(left, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pulse)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
