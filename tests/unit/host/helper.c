/* SPDX-License-Identifier: MIT */
/* Calls that may sleep for ever, and questions that a process does not answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "vm/base/host/helper.h"

/* Waits until the other end of a pipe is closed: with it closed, not at all. */
struct waiting {
	struct helper_job base;
	int input;
	bool has_run;
};

static void run(struct helper_job *base)
{
	struct waiting *job = (struct waiting *)base;
	char c;

	while (read(job->input, &c, 1) > 0)
		;
	job->has_run = true;
}

static void drop(struct helper_job *base)
{
	free(base);
}

static struct waiting *job_on(int input)
{
	struct waiting *job = calloc(1, sizeof(*job));

	job->base = (struct helper_job){.run = run, .drop = drop};
	job->input = input;
	return job;
}

static void check_answered(int pid, int input)
{
	struct waiting *job = job_on(input);

	assert_int_equal(helper_ask(pid, &job->base), 0);
	assert_true(job->has_run);
	free(job);
}

static void check_not_asked(int pid, int input)
{
	struct waiting *job = job_on(input);

	assert_int_equal(helper_ask(pid, &job->base), STATUS_LIMIT);
	assert_false(job->has_run);
	free(job);
}

static void until_none_is_lost(void)
{
	while (helpers_lost())
		usleep(1000);
}

static void test_ask(void **state)
{
	int closed[2], open[2];

	(void)state;
	assert_int_equal(pipe(closed) | pipe(open), 0);
	close(closed[1]);
	check_answered(100, closed[0]);
	assert_int_equal(helper_ask(101, &job_on(open[0])->base), STATUS_BUSY);
	assert_int_equal(helpers_lost(), 1);
	check_not_asked(101, closed[0]); /* it has kept one waiting */
	check_answered(100, closed[0]);	 /* others are asked */
	/* Four sleep: nobody is asked until one is back. */
	for (int pid = 102; pid < 105; pid++)
		assert_int_equal(helper_ask(pid, &job_on(open[0])->base), STATUS_BUSY);
	check_not_asked(100, closed[0]);
	close(open[1]);
	until_none_is_lost();
	check_answered(100, closed[0]);
	check_not_asked(104, closed[0]);
	close(open[0]);
	close(closed[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ask)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
