/* SPDX-License-Identifier: MIT */
/* Fields of /proc/PID/task/TID/stat, whatever name the process has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "vm/base/proc/procstat.h"

static void test_fields(void **state)
{
	static const char text[] = "42 (a) R 9 (b) S 7 8 9 -1 11 2097156\n";
	static const struct {
		enum procstat_field field;
		uint64_t number;
	} cases[] = {
		{PROCSTAT_STATE, 'S'},	    {PROCSTAT_PPID, 7},
		{PROCSTAT_PGRP, 8},	    {PROCSTAT_SESSION, 9},
		{PROCSTAT_TTY, UINT64_MAX}, {PROCSTAT_FLAGS, 2097156},
		{PROCSTAT_PRIORITY, 0},	    {PROCSTAT_START, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(procstat_number(text, cases[i].field),
				 cases[i].number);
	assert_null(procstat_field(text, PROCSTAT_PRIORITY));
	assert_null(procstat_field("", PROCSTAT_STATE));
	assert_null(procstat_field("42 (cut)", PROCSTAT_STATE));
}

/* A name that looks like fields of its own. */
static void test_own(void **state)
{
	struct procstat s;

	(void)state;
	prctl(PR_SET_NAME, ") Z 1 ) 2");
	assert_int_equal(procstat_read(getpid(), gettid(), &s), 0);
	assert_int_equal(procstat_number(s.text, PROCSTAT_STATE), 'R');
	assert_int_equal(procstat_number(s.text, PROCSTAT_PPID), (uint64_t)getppid());
	assert_int_equal(procstat_number(s.text, PROCSTAT_PGRP), (uint64_t)getpgrp());
	assert_int_equal(procstat_number(s.text, PROCSTAT_THREADS), 1);
	assert_true(procstat_number(s.text, PROCSTAT_START) > 0);
	assert_true(procstat_number(s.text, PROCSTAT_STACK) > 0);
	assert_int_equal(procstat_read(getpid(), 1, &s), STATUS_GONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
