/* SPDX-License-Identifier: MIT */
/* The run time of a thread, by a counter and by /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/keeper/os/runtime.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define RUN_NS	 UINT64_C(50000000)
#define SLACK_NS UINT64_C(20000000) /* a few timer ticks */

static uint64_t used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void run(void)
{
	const uint64_t until = used() + RUN_NS;

	while (used() < until)
		;
}

/* Both grow by what the thread has run, and not while it sleeps. */
static void check(int counter)
{
	const struct timespec nap = {0, 100000000};
	uint64_t first = 0, second = 0, third = 0, before, ran, all;

	before = used();
	assert_true(runtime_read(counter, getpid(), &first));
	run();
	assert_true(runtime_read(counter, getpid(), &second));
	ran = used() - before;
	nanosleep(&nap, NULL);
	assert_true(runtime_read(counter, getpid(), &third));
	all = used() - before;
	assert_in_range(second - first, RUN_NS - SLACK_NS, ran + SLACK_NS);
	assert_in_range(third - first, RUN_NS - SLACK_NS, all + SLACK_NS);
}

static void test_counter(void **state)
{
	int counter = runtime_counter(getpid());

	(void)state;
	if (counter < 0) {
		assert_true(errno == EACCES || errno == EPERM || errno == ENOSYS);
		skip(); /* perf_event_open(2) is not permitted here */
	}
	check(counter);
	close(counter);
}

static void test_schedstat(void **state)
{
	(void)state;
	check(-1);
}

static void test_gone(void **state)
{
	uint64_t ns;

	(void)state;
	assert_false(runtime_read(-1, INT32_MAX, &ns));
	assert_int_equal(runtime_counter(INT32_MAX), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_schedstat),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
