/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/support/dlang_front.h"

/* What $1 becomes in an expression. */
static void test_argument_values(void **state)
{
	static const struct {
		char *argument;
		const char *body, *tree;
	} cases[] = {
		{"12", "$1", "12"},
		{"-12", "$1", "(- 12)"},
		{"+12", "$1", "12"},
		{"0x10", "$1", "16"},
		{"010", "$1", "8"},
		{"5ul", "$1", "5ul"},
		{"-9223372036854775808", "$1", "(- (- 9223372036854775807) 1)"},
		{"abc", "$1", "abc"},
		{"a`b", "$1", "a`b"},
		{"a b", "$1", "\"a b\""},
		{"\"x y\"", "$1", "\"x y\""},
		{"\"12\"", "$1", "\"12\""},
		{"12abc", "$1", "\"12abc\""},
		{"089", "$1", "\"089\""},
		{"", "$1", "\"\""},
		{"a\\tb", "$1", "\"a\\011b\""},
		{"12", "$$1", "\"12\""},
		{"a\\nb", "$$1", "\"a\\nb\""},
		{"uint64_t", "($1)x", "(cast < uint64_t > x)"},
		{"int", "($1 *)x", "(cast < pointer to int > x)"},
		{"x", "$1 + $1", "(+ x x)"},
		{"-1", "2 - $1", "(- 2 (- 1))"},
		{"x", "$0 + $1", "(+ dtrace x)"},
		{"x", "$target + $1", "(+ 1234 x)"},
		{"x", "$below + $1", "(+ (- (- 9223372036854775807) 1) x)"},
		{"x", "$$target + $1", "(+ \"1234\" x)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *argv[] = {cases[i].argument}, text[100], expected[100];
		struct front_input in = {.text = text,
					 .options = {.argc = 1, .argv = argv}};
		char *dump;

		snprintf(text, sizeof(text), "BEGIN { %s }", cases[i].body);
		snprintf(expected, sizeof(expected),
			 "clause 1:1\n  probe :::BEGIN\n  %s\n", cases[i].tree);
		dump = front_dump(&in, "tree");
		assert_string_equal(dump, expected);
		free(dump);
	}
}

static void test_own_variables(void **state)
{
	struct front_input in = {
		.text = "BEGIN { $pid; $ppid; $pgid; $sid; $uid; $euid; $gid; $egid }"};
	char expected[300], *dump = front_dump(&in, "tree");

	(void)state;
	snprintf(expected, sizeof(expected),
		 "clause 1:1\n  probe :::BEGIN\n  %d\n  %d\n  %d\n  %d\n  %u\n  %u\n  "
		 "%u\n"
		 "  %u\n",
		 getpid(), getppid(), getpgrp(), getsid(0), getuid(), geteuid(),
		 getgid(), getegid());
	assert_string_equal(dump, expected);
	free(dump);
}

static void test_specifiers(void **state)
{
	static const struct {
		const char *text, *probe;
		enum dlang_spec spec;
	} cases[] = {
		{"BEGIN", ":::BEGIN", DLANG_SPEC_NAME},
		{"a:b", "::a:b", DLANG_SPEC_NAME},
		{"a:b:c", ":a:b:c", DLANG_SPEC_NAME},
		{"a:b:c:d", "a:b:c:d", DLANG_SPEC_NAME},
		{":::", ":::", DLANG_SPEC_NAME},
		{"a:::", "a:::", DLANG_SPEC_NAME},
		{"12", "12", DLANG_SPEC_NAME},
		{"a", "::a:", DLANG_SPEC_FUNC},
		{"a:b", ":a:b:", DLANG_SPEC_FUNC},
		{"a:b:c", "a:b:c:", DLANG_SPEC_FUNC},
		{"a", ":a::", DLANG_SPEC_MOD},
		{"a:b", "a:b::", DLANG_SPEC_MOD},
		{"a", "a:::", DLANG_SPEC_PROVIDER},
		{"string", "::string:", DLANG_SPEC_FUNC},
		{"pid$target:libc.so:$1:entry", "pid1234:libc.so:main:entry",
		 DLANG_SPEC_NAME},
		{"syscall::*$1:entry", "syscall::*main:entry", DLANG_SPEC_NAME},
		{"p$1[0-9]", ":::pmain[0-9]", DLANG_SPEC_NAME},
		{"x$1y", ":::xmainy", DLANG_SPEC_NAME},
		{"x$$1", ":::xmain", DLANG_SPEC_NAME},
		{"pid$$target:::", "pid1234:::", DLANG_SPEC_NAME},
		{"a\\:b", ":::a\\:b", DLANG_SPEC_NAME},
		{"a\\$1", ":::a\\$1", DLANG_SPEC_NAME},
		{"*a?[!x]:tick-1s", "::*a?[!x]:tick-1s", DLANG_SPEC_NAME},
		{"pid1:LM0`libc.so:f:1c", "pid1:LM0`libc.so:f:1c", DLANG_SPEC_NAME},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *argv[] = {"main"}, expected[100], *dump;
		struct front_input in = {
			.text = cases[i].text,
			.spec = cases[i].spec,
			.options = {.argc = 1, .argv = argv, .argref = true},
		};

		snprintf(expected, sizeof(expected), "clause 1:1\n  probe %s\n",
			 cases[i].probe);
		dump = front_dump(&in, "tree");
		assert_string_equal(dump, expected);
		free(dump);
	}
}

static char *large[] = {"99999999999999999999"}, *extra[] = {"extra"}, *one[] = {"y"},
	    *two[] = {"a", "b"};

#define LONG_64 "0123456789012345678901234567890123456789012345678901234567890123"
#define LONG_63 "012345678901234567890123456789012345678901234567890123456789012"

static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
		struct dlang_options options;
		enum dlang_spec spec;
	} cases[] = {
		{"BEGIN{$1}",
		 "[D_MACRO_UNDEF] macro argument $1 is not defined",
		 {0},
		 0},
		{"BEGIN{$$1}",
		 "[D_MACRO_UNDEF] macro argument $$1 is not defined",
		 {0},
		 0},
		{"BEGIN{$99999999999999999999}",
		 "[D_MACRO_UNDEF] macro argument $99999999999999999999 is not defined",
		 {0},
		 0},
		{"BEGIN{$x}",
		 "[D_MACRO_UNDEF] macro variable $x is not defined",
		 {0},
		 0},
		{"BEGIN{$$x}",
		 "[D_MACRO_UNDEF] macro variable $$x is not defined",
		 {0},
		 0},
		{"BEGIN{$1}",
		 "[D_MACRO_OFLOW] macro argument $1 constant 99999999999999999999 "
		 "results in integer overflow",
		 {.argc = 1, .argv = large},
		 0},
		{"BEGIN",
		 "[D_MACRO_UNUSED] extraneous argument 'extra' ($1 is not referenced)",
		 {.argc = 1, .argv = extra},
		 0},
		{"BEGIN{$1}",
		 "[D_MACRO_UNUSED] extraneous argument 'b' ($2 is not referenced)",
		 {.argc = 2, .argv = two},
		 0},
		{"BEGIN{1$pid}", "[D_SYNTAX] syntax error near \"$pid\"", {0}, 0},
		{"a$1",
		 "[D_PDESC_INVAL] invalid probe description \"a$1\": "
		 "Undefined macro variable in probe description",
		 {0},
		 0},
		{"a$:x",
		 "[D_PDESC_INVAL] invalid probe description \"a$:x\": "
		 "Undefined macro variable in probe description",
		 {0},
		 0},
		{"a:b:c:d:e",
		 "[D_PDESC_INVAL] invalid probe description \"a:b:c:d:e\": "
		 "Overspecified probe description",
		 {0},
		 0},
		{"a:b:c:d",
		 "[D_PDESC_INVAL] invalid probe description \"a:b:c:d\": "
		 "Overspecified probe description",
		 {0},
		 DLANG_SPEC_FUNC},
		{"a:b:c",
		 "[D_PDESC_INVAL] invalid probe description \"a:b:c\": Over",
		 {0},
		 DLANG_SPEC_MOD},
		{"a:b",
		 "[D_PDESC_INVAL] invalid probe description \"a:b\": Over",
		 {0},
		 DLANG_SPEC_PROVIDER},
		{"4",
		 "[D_PDESC_INVAL] probe identifier 4 not permitted when specifying "
		 "functions",
		 {0},
		 DLANG_SPEC_FUNC},
		{"4",
		 "[D_PDESC_INVAL] probe identifier 4 not permitted when specifying "
		 "modules",
		 {0},
		 DLANG_SPEC_MOD},
		{"4",
		 "[D_PDESC_INVAL] probe identifier 4 not permitted when specifying "
		 "providers",
		 {0},
		 DLANG_SPEC_PROVIDER},
		{"0",
		 "[D_PDESC_INVAL] invalid probe identifier 0: Unknown probe identifier",
		 {0},
		 0},
		{"4294967296",
		 "[D_PDESC_INVAL] identifier 4294967296 exceeds maximum probe id",
		 {0},
		 0},
		{"089", "[D_SYNTAX] syntax error near \"089\"", {0}, 0},
		{"a" LONG_63 ":::",
		 "[D_PDESC_INVAL] invalid probe description \"a" LONG_63
		 ":::\": File name too long",
		 {0},
		 0},
		{"::a" LONG_64 LONG_63 ":x",
		 "[D_PDESC_INVAL] invalid probe description \"::a" LONG_64 LONG_63
		 ":x\": File name too long",
		 {0},
		 0},
		{"", "[D_EMPTY] empty D program translation unit", {0}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text,
					 .spec = cases[i].spec,
					 .options = cases[i].options};
		char expected[400], *dump, *at;

		in.options.errtags = true;
		dump = front_dump(&in, "tree");
		snprintf(expected, sizeof(expected), "invalid probe specifier ARG: %s",
			 cases[i].message);
		at = strstr(dump, "invalid probe specifier");
		if (!at)
			fail_msg("no error: %s", cases[i].text);
		assert_int_equal(front_count(at, "invalid probe specifier"), 1);
		at[strlen(at) < strlen(expected) ? strlen(at) : strlen(expected)] =
			'\0';
		assert_string_equal(at, expected);
		free(dump);
	}
}

/* Options that make the above no errors. */
static void test_permissive_options(void **state)
{
	static const struct {
		const char *text, *tree;
		struct dlang_options options;
	} cases[] = {
		{"BEGIN{$1;$$2}",
		 "clause 1:1\n  probe :::BEGIN\n  0\n  \"\"\n",
		 {.defaultargs = ""}},
		{"BEGIN{$1;$2;$$2;$3;$4;$$5}",
		 "clause 1:1\n  probe :::BEGIN\n  y\n  (- 3)\n  \"-3\"\n  0\n  b\n"
		 "  \"\"\n",
		 {.defaultargs = "a,-3,,b", .argc = 1, .argv = one}},
		{"p$target:$1:x$2:$3",
		 "clause 1:1\n  probe p1234::xf*:entry\n",
		 {.defaultargs = ",f*,entry"}},
		{"p:$1:$2:$9",
		 "clause 1:1\n  probe p:y::\n",
		 {.defaultargs = "", .argc = 1, .argv = one}},
		{"BEGIN{}",
		 "clause 1:1\n  probe :::BEGIN\n",
		 {.argref = true, .argc = 1, .argv = extra}},
		{"x$1", "clause 1:1\n  probe :::xy\n", {.argc = 1, .argv = one}},
		{"BEGIN{$2}",
		 "clause 1:1\n  probe :::BEGIN\n  b\n",
		 {.argc = 2, .argv = two}},
		{"", "", {.empty = true}},
		{"::a" LONG_63 LONG_63 ":x",
		 "clause 1:1\n  probe ::a" LONG_63 LONG_63 ":x\n",
		 {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text,
					 .options = cases[i].options};
		char *dump = front_dump(&in, "tree");

		assert_string_equal(dump, cases[i].tree);
		free(dump);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_argument_values),
		cmocka_unit_test(test_own_variables),
		cmocka_unit_test(test_specifiers),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_permissive_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
