/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "vm/base/base.h"
#include "vm/base/host/log.h"

static void test_domains(void **state)
{
	static const struct {
		const char *set, *domain;
		bool is_on;
	} cases[] = {
		{NULL, "stop", false},
		{"", "stop", false},
		{"1", "stop", true},
		{"stop", "stop", true},
		{"stops", "stop", false},
		{"nonstop", "stop", false},
		{"match,stop", "stop", true},
		{"stop,match", "stop", true},
		{"match,stops", "stop", false},
		{"nonstop,stop", "stop", true},
		{"0", "stop", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (cases[i].set)
			setenv("DTRACE_DEBUG", cases[i].set, 1);
		else
			unsetenv("DTRACE_DEBUG");
		assert_int_equal(log_is_on(cases[i].domain), cases[i].is_on);
	}
	unsetenv("DTRACE_DEBUG");
}

/* What log_debug() writes of a text of that length, as one line. */
static size_t logged(const char *text, char *line, size_t size)
{
	int ends[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	log_debug("stop", "%s", text);
	log_debug("other", "%s", text);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[1]);
	n = read(ends[0], line, size - 1);
	close(ends[0]);
	assert_true(n >= 0);
	line[n] = '\0';
	return (size_t)n;
}

static void test_line(void **state)
{
	char line[8192], text[4096];

	(void)state;
	setenv("DTRACE_DEBUG", "stop", 1);
	logged("hello", line, sizeof(line));
	assert_string_equal(line, "stop: hello\n");
	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_in_range(logged(text, line, sizeof(line)), 100, 2048);
	assert_int_equal(line[strlen(line) - 1], '\n');
	unsetenv("DTRACE_DEBUG");
	assert_int_equal(logged("hello", line, sizeof(line)), 0);
}

static void test_enable(void **state)
{
	(void)state;
	log_enable();
	assert_true(log_is_on("stop"));
	setenv("DTRACE_DEBUG", "match", 1);
	assert_false(log_is_on("stop"));
	assert_true(log_is_on("match"));
	unsetenv("DTRACE_DEBUG");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_enable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
