/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/options.h"

#include <cmocka.h>

#define INVALID "Invalid value for specified option"
#define NO_TIME "a time is a number and its unit, such as 500ms, 5s or 2m"
#define SEC	UINT64_C(1000000000)

/* The lines after the first one say what to do. */
static void assert_first_line(const char *got, const char *expected)
{
	char line[256];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(got, "\n"), got);
	assert_string_equal(line, expected);
}

/* Every kind of value; text NULL means success with the value. */
static void test_values(void **state)
{
	static const struct {
		const char *name, *value;
		size_t offset;
		uint64_t expected;
		const char *error;
	} cases[] = {
#define CASE(name, value, expected)                                                    \
	{#name, value, offsetof(struct options, name), expected, NULL}
#define BAD(name, value)                                                               \
	{                                                                              \
#name, value, offsetof(struct options, name), 0, INVALID               \
	}
		CASE(quiet, NULL, 1),
		CASE(quiet, "", 0),
		CASE(quiet, "yes", 1),
		CASE(quiet, "NO", 0),
		CASE(quiet, "Enable", 1),
		CASE(quiet, "disable", 0),
		CASE(quiet, "enabled", 1),
		CASE(quiet, "disabled", 0),
		CASE(quiet, "TRUE", 1),
		CASE(quiet, "false", 0),
		CASE(quiet, "on", 1),
		CASE(quiet, "off", 0),
		CASE(quiet, "set", 1),
		CASE(quiet, "unset", 0),
		CASE(quiet, "7", 7),
		CASE(quiet, "0x10", 16),
		CASE(quiet, "0", 0),
		BAD(quiet, "maybe"),
		BAD(quiet, "1x"),
		BAD(quiet, "-1"),
		BAD(quiet, " 1"),
		CASE(aggsortpos, "0", 0),
		CASE(aggsortpos, "010", 8),
		CASE(aggsortpos, "18446744073709551615", UINT64_MAX),
		BAD(aggsortpos, "18446744073709551616"),
		BAD(aggsortpos, NULL),
		BAD(aggsortpos, ""),
		BAD(aggsortpos, "-1"),
		BAD(aggsortpos, "+1"),
		BAD(aggsortpos, "1 "),
		BAD(aggsortpos, "0x"),
		BAD(aggsortpos, "09"),
		CASE(bufsize, "1", 1),
		CASE(bufsize, "1k", 1024),
		CASE(bufsize, "2M", 2 << 20),
		CASE(bufsize, "3g", UINT64_C(3) << 30),
		CASE(bufsize, "1T", UINT64_C(1) << 40),
		CASE(bufsize, "0x10k", 16384),
		BAD(bufsize, "1kb"),
		BAD(bufsize, "k"),
		BAD(bufsize, "1.5m"),
		BAD(bufsize, "16777216t"),
		BAD(bufsize, "1p"),
		CASE(switchrate, "10", 10),
		CASE(switchrate, "10ns", 10),
		CASE(switchrate, "10NSEC", 10),
		CASE(switchrate, "3us", 3000),
		CASE(switchrate, "3usec", 3000),
		CASE(switchrate, "5ms", 5000000),
		CASE(switchrate, "5msec", 5000000),
		CASE(switchrate, "2s", 2 * SEC),
		CASE(switchrate, "2Sec", 2 * SEC),
		CASE(switchrate, "1m", 60 * SEC),
		CASE(switchrate, "1min", 60 * SEC),
		CASE(switchrate, "1h", 3600 * SEC),
		CASE(switchrate, "1hour", 3600 * SEC),
		CASE(switchrate, "1d", 86400 * SEC),
		CASE(switchrate, "1day", 86400 * SEC),
		CASE(switchrate, "100hz", SEC / 100),
		CASE(switchrate, "10HZ", SEC / 10),
		CASE(switchrate, "0hz", 0),
		BAD(switchrate, "0.5hz"),
		BAD(switchrate, "1x"),
		BAD(switchrate, "hz"),
		BAD(switchrate, "999999999999d"),
		BAD(switchrate, NULL),
		CASE(evaltime, "exec", EVALTIME_EXEC),
		CASE(evaltime, "main", EVALTIME_MAIN),
		CASE(evaltime, "postinit", EVALTIME_POSTINIT),
		BAD(evaltime, "Main"),
		BAD(evaltime, ""),
		BAD(evaltime, "mai"),
		BAD(evaltime, "exec preinit"),
		BAD(evaltime, NULL),
		BAD(stdc, "q"),
		CASE(strsize, "16k", 16384),
		BAD(strsize, "0"),
		BAD(strsize, "1g"),
		CASE(iregs, "1", 1),
		BAD(iregs, "0"),
#undef CASE
#undef BAD
	};
	struct options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t got;
		int rc;

		options_init(&o);
		rc = options_set(&o, OPTION_FROM_COMMAND, cases[i].name, cases[i].value,
				 &e);
		if (cases[i].error) {
			assert_int_not_equal(rc, 0);
			assert_first_line(e.text, cases[i].error);
		} else {
			if (rc)
				fail_msg("%s=%s: %s", cases[i].name, cases[i].value,
					 e.text);
			memcpy(&got, (char *)&o + cases[i].offset, sizeof(got));
			assert_int_equal(got, cases[i].expected);
		}
		options_release(&o);
	}
}

/* Who may set what, when, and what is refused. */
static void test_refusals(void **state)
{
	static const struct {
		enum option_source from;
		bool is_active;
		const char *name, *value, *error; /* NULL: accepted */
	} cases[] = {
		{OPTION_FROM_COMMAND, false, "nosuch", "1", "Invalid option name"},
		{OPTION_FROM_COMMAND, false, "", NULL, "Invalid option name"},
		{OPTION_FROM_COMMAND, false, "uresolve", NULL, "Invalid option name"},
		{OPTION_FROM_COMMAND, false, "Quiet", NULL, "Invalid option name"},
		{OPTION_FROM_COMMAND, false, "stability", NULL, "Invalid option name"},
		{OPTION_FROM_COMMAND, false, "errtags", NULL, NULL},
		{OPTION_FROM_COMMAND, false, "errtags", "1", INVALID},
		{OPTION_FROM_COMMAND, false, "nolibs", NULL, NULL},
		{OPTION_FROM_PROGRAM, false, "nolibs", NULL,
		 "Option cannot be used from within a D program"},
		{OPTION_FROM_PROGRAM, false, "define", "x",
		 "Option cannot be used from within a D program"},
		{OPTION_FROM_PROGRAM, false, "quiet", NULL, NULL},
		{OPTION_FROM_PROGRAM, false, "bufsize", "1m", NULL},
		{OPTION_FROM_SETOPT, true, "bufsize", "1m",
		 "Operation illegal when tracing is active"},
		{OPTION_FROM_SETOPT, true, "quiet", "1", NULL},
		{OPTION_FROM_SETOPT, true, "errtags", NULL, NULL},
		{OPTION_FROM_SETOPT, true, "nosuch", "1", "Invalid option name"},
		{OPTION_FROM_COMMAND, false, "cpp", NULL, NULL},
		{OPTION_FROM_COMMAND, false, "incdir", "/x", NULL},
		{OPTION_FROM_COMMAND, false, "libdir", "/x", NULL},
		{OPTION_FROM_COMMAND, false, "setenv", "A=", NULL},
		{OPTION_FROM_COMMAND, false, "setenv", "A", INVALID},
		{OPTION_FROM_COMMAND, false, "setenv", "=A", INVALID},
		{OPTION_FROM_COMMAND, false, "setenv", NULL, INVALID},
		{OPTION_FROM_COMMAND, false, "unsetenv", "", INVALID},
		{OPTION_FROM_COMMAND, false, "amin", "Stable/evolving/ISA", NULL},
		{OPTION_FROM_COMMAND, false, "amin", "Stable/Stable", INVALID},
		{OPTION_FROM_COMMAND, false, "amin", "Stable/Stable/Stable", INVALID},
		{OPTION_FROM_COMMAND, false, "version", "1.6.3", NULL},
		{OPTION_FROM_COMMAND, false, "version", "1.6.4",
		 "Requested version is not supported by compiler"},
		{OPTION_FROM_COMMAND, false, "version", "2.0",
		 "Requested version is not supported by compiler"},
		{OPTION_FROM_COMMAND, false, "version", "1",
		 "Version is not properly formatted or is too large"},
		{OPTION_FROM_COMMAND, false, "version", "1.4096",
		 "Version is not properly formatted or is too large"},
		{OPTION_FROM_COMMAND, false, "version", "1.2.3.4",
		 "Version is not properly formatted or is too large"},
		{OPTION_FROM_COMMAND, false, "cpu", "0", NULL},
		{OPTION_FROM_COMMAND, false, "nspec", "1", NULL},
		{OPTION_FROM_COMMAND, false, "nspec", "65536", NULL},
		{OPTION_FROM_COMMAND, false, "nspec", "65537",
		 "Invalid value for specified option"},
		{OPTION_FROM_COMMAND, false, "duration", "1ns", NULL},
		{OPTION_FROM_PROGRAM, false, "duration", "2Min", NULL},
		{OPTION_FROM_COMMAND, false, "duration", "200d", NULL},
		{OPTION_FROM_COMMAND, false, "duration", NULL, NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "s", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "5", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "0s", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "-5s", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "5 s", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "1.5s", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "5hz", NO_TIME},
		{OPTION_FROM_COMMAND, false, "duration", "300000d", NO_TIME},
		{OPTION_FROM_SETOPT, true, "duration", "5s",
		 "Operation illegal when tracing is active"},
		{OPTION_FROM_COMMAND, false, "bufpolicy", "switch", NULL},
		{OPTION_FROM_COMMAND, false, "bufpolicy", "ring", NULL},
		{OPTION_FROM_COMMAND, false, "bufpolicy", "fill", NULL},
		{OPTION_FROM_COMMAND, false, "bufpolicy", "wait", NULL},
		{OPTION_FROM_COMMAND, false, "bufwait", "20ms", NULL},
		{OPTION_FROM_COMMAND, false, "bufpolicy", "x", INVALID},
		{OPTION_FROM_COMMAND, false, "freopen", "name", NULL},
		{OPTION_FROM_COMMAND, false, "freopen", "any", NULL},
		{OPTION_FROM_COMMAND, false, "freopen", NULL, INVALID},
		{OPTION_FROM_SETOPT, true, "freopen", "any",
		 "Operation illegal when tracing is active"},
		{OPTION_FROM_COMMAND, false, "aggpack", "off", NULL},
		{OPTION_FROM_COMMAND, false, "stdc", "a", NULL},
		{OPTION_FROM_COMMAND, false, "stdc", "s", NULL},
		{OPTION_FROM_COMMAND, false, "version", "1.13", NULL},
		{OPTION_FROM_COMMAND, false, "version", "1.5", NULL},
		{OPTION_FROM_COMMAND, false, "unsetenv", "A=B", INVALID},
		{OPTION_FROM_COMMAND, false, "lockmem", "unlimited",
		 "option 'lockmem' has no meaning in user-mode tracing"},
		{OPTION_FROM_COMMAND, false, "grabanon", NULL,
		 "option 'grabanon' has no meaning in user-mode tracing"},
	};
	struct options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int rc;

		options_init(&o);
		o.is_active = cases[i].is_active;
		rc = options_set(&o, cases[i].from, cases[i].name, cases[i].value, &e);
		if (!cases[i].error && rc)
			fail_msg("%s: %s", cases[i].name, e.text);
		if (cases[i].error) {
			assert_int_not_equal(rc, 0);
			assert_first_line(e.text, cases[i].error);
		}
		options_release(&o);
	}
}

static void test_initial(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(o.bufsize, 4 << 20);
	assert_int_equal(o.aggsize, 4 << 20);
	assert_int_equal(o.dynvarsize, 1 << 20);
	assert_int_equal(o.strsize, 256);
	assert_int_equal(o.cleanrate, SEC / 101);
	assert_int_equal(o.switchrate, SEC);
	assert_int_equal(o.evaltime, EVALTIME_PREINIT);
	assert_int_equal(o.temporal, 1);
	assert_int_equal(o.quiet, 0);
	assert_false(o.errtags);
	assert_string_equal(o.version, "1.13");
	options_release(&o);
}

static void catch_text(void *ctx, const char *text)
{
	strcat(ctx, text);
	strcat(ctx, "\n");
}

static void test_clamp(void **state)
{
	static const struct {
		const char *name, *value, *expected;
	} cases[] = {
		{"cleanrate", "101hz", ""},
		{"cleanrate", "5000hz", ""},
		{"cleanrate", "10000hz", "cleaning rate reduced to 5000 hz\n"},
		{"cleanrate", "0", "cleaning rate reduced to 5000 hz\n"},
		{"cleanrate", "1h",
		 "cleaning rate increased to once every 60 seconds\n"},
		{"statusrate", "10s", ""},
		{"statusrate", "11s",
		 "status rate increased to once every 10 seconds\n"},
	};
	struct options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[256] = "";

		options_init(&o);
		assert_int_equal(options_set(&o, OPTION_FROM_COMMAND, cases[i].name,
					     cases[i].value, &e),
				 0);
		options_clamp(&o, catch_text, got);
		assert_string_equal(got, cases[i].expected);
		options_release(&o);
	}
}

/* What is misspelt, and what a value is. */
static void test_hints(void **state)
{
	static const struct {
		const char *name, *value, *hint;
	} cases[] = {
		{"bufsiz", "4m", "\n\tdid you mean 'bufsize'?"},
		{"Quiet", NULL, "\n\tdid you mean 'quiet'?"},
		{"ustackframe", "5", "\n\tdid you mean 'ustackframes'?"},
		{"nosuch", NULL, ""},
		{"errtags", "1", "\n\tit takes no value"},
		{"quiet", "maybe", "\n\tit is on or off"},
		{"nspec", "x", "\n\tit is a whole number; dtrace(1) has its limits"},
		{"bufsize", "4q",
		 "\n\tit is a number of bytes, such as 4096, 512k or 4m"},
		{"switchrate", "", "\n\tit is a time or a rate, such as 500ms or 10hz"},
		{"freopen", "all", "\n\tit is one of: name any"},
		{"setenv", "A", ""},
	};
	struct options o;
	struct err e;

	(void)state;
	options_init(&o);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_not_equal(options_set(&o, OPTION_FROM_COMMAND, cases[i].name,
						 cases[i].value, &e),
				     0);
		assert_string_equal(e.text + strcspn(e.text, "\n"), cases[i].hint);
	}
	options_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_hints),  cmocka_unit_test(test_initial),
		cmocka_unit_test(test_clamp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
