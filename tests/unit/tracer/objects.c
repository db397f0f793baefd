/* SPDX-License-Identifier: MIT */
/* What is mapped in a process: looked at again, and when that proves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/targets/objects.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The files are not read to their end then: an object that seems to have gone may be
 * there, with breakpoints in it that nothing else knows of. */
static void test_interrupted(void **state)
{
	volatile sig_atomic_t interrupts = 0;
	struct tracer t = {.interrupts = &interrupts};
	struct target target = {.pid = getpid(), .mem_fd = -1, .alive = true};
	struct modules *before;
	struct err e;

	(void)state;
	assert_int_equal(modules_read(target.pid, &target.modules, &e), 0);
	before = target.modules;
	interrupts = 1;
	assert_int_equal(objects_refresh(&t, &target, NULL, &e), 0);
	assert_ptr_equal(target.modules, before);
	interrupts = 0;
	t.is_pointless = true;
	assert_int_equal(objects_refresh(&t, &target, NULL, &e), 0);
	assert_ptr_equal(target.modules, before);
	modules_free(target.modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
