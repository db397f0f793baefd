/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/host/glob.h"

static void test_match(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"main", "main", true},
		{"main", "mai", false},
		{"main", "mainly", false},
		{"*", "", true},
		{"*", "anything", true},
		{"**", "x", true},
		{"m*", "main", true},
		{"*n", "main", true},
		{"m*n", "main", true},
		{"m*x", "main", false},
		{"*a*b*c*", "xxaxxbxxcxx", true},
		{"*a*b*c*", "xxaxxcxxbxx", false},
		{"*ab", "aab", true},
		{"?", "", false},
		{"?", "a", true},
		{"m??n", "main", true},
		{"m??n", "man", false},
		{"[abc]", "b", true},
		{"[abc]", "d", false},
		{"[a-c]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[!a-c]", "d", true},
		{"[!a-c]", "b", false},
		{"[!a-c]", "", false},
		{"[]x]", "]", true},
		{"[!]]", "]", false},
		{"[-a]", "-", true},
		{"[a-]", "-", true},
		{"[a-]", "b", false},
		{"[a-c-e]", "d", false},
		{"[a-c-e]", "-", true},
		{"[c-a]", "b", false},
		{"[\\]]", "]", true},
		{"[a\\-c]", "b", false},
		{"[a\\-c]", "-", true},
		{"[*]", "*", true},
		{"[*]", "x", false},
		{"[abc", "a", false},
		{"[", "[", false},
		{"[]", "]", false},
		{"[a-", "a", false},
		{"\\*", "*", true},
		{"\\*", "x", false},
		{"a\\", "a", false},
		{"a\\", "a\\", false},
		{"\\\\", "\\", true},
		{"std::*", "std::sort", true},
		{"*\xc3\xa9*", "caf\xc3\xa9s", true},
		{"[\x80-\xff]", "\xc3", true},
		{"sub_*", "sub_401000", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (glob_match(cases[i].pattern, cases[i].text) != cases[i].matches)
			fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].text);
	}
}

static void test_is_pattern(void **state)
{
	static const struct {
		const char *text;
		bool is_pattern;
	} cases[] = {
		{"", false},   {"main", false}, {"a.out", false}, {"ma*", true},
		{"m?", true},  {"[m]", true},	{"a\\b", true},	  {"]", false},
		{"!a", false}, {"a-z", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(glob_is_pattern(cases[i].text), cases[i].is_pattern);
}

/* Naive matching would take longer than the universe has. */
static void test_no_explosion(void **state)
{
	char text[2001];

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = 'a';
	text[sizeof(text) - 1] = '\0';
	assert_false(glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_is_pattern),
		cmocka_unit_test(test_no_explosion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
