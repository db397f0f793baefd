/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/dlang_front.h"

/* Tokens of a clause body, names and texts joined by "|", without places. */
static void body_tokens(const char *body, char *out, size_t cap)
{
	struct front_input in = {0};
	char text[512], *dump, *line, *save;

	snprintf(text, sizeof(text), "BEGIN{%s}", body);
	in.text = text;
	dump = front_dump(&in, "tokens");
	out[0] = '\0';
	for (line = strtok_r(dump, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *token = strchr(line, ' ');

		if (line[0] < '0' || line[0] > '9')
			break;
		if (strcmp(token, " PROBE BEGIN") == 0 ||
		    strcmp(token, " LBRACE {") == 0 ||
		    strcmp(token, " RBRACE }") == 0 || strcmp(token, " END") == 0)
			continue;
		snprintf(out + strlen(out), cap - strlen(out), "%s%s",
			 out[0] ? "|" : "", token + 1);
	}
	free(dump);
}

static void test_tokens(void **state)
{
	static const struct {
		const char *body, *tokens;
	} cases[] = {
		{"5", "INT 5"},
		{"0x1F", "INT 31 not decimal"},
		{"017", "INT 15 not decimal"},
		{"0", "INT 0"},
		{"5u", "INT 5u"},
		{"5UL", "INT 5ul"},
		{"5ull", "INT 5ull"},
		{"18446744073709551615u", "INT 18446744073709551615u"},
		{"0xffffffffffffffff", "INT 18446744073709551615 not decimal"},
		{"9223372036854775807", "INT 9223372036854775807"},
		{"'a'", "INT 97"},
		{"'ab'", "INT 24930"},
		{"'\\n'", "INT 10"},
		{"'\\''", "INT 39"},
		{"'\\c'", "INT 23651"},
		{"'\\x41'", "INT 65"},
		{"'\\101'", "INT 65"},
		{"abc", "IDENT abc"},
		{"a`b", "IDENT a`b"},
		{"libc.so.6`environ", "IDENT libc.so.6`environ"},
		{"a.b", "IDENT a|DOT .|IDENT b"},
		{"`x", "IDENT `x"},
		{"int", "KW_INT int"},
		{"uint64_t", "TYPENAME uint64_t"},
		{"D`uint64_t", "TYPENAME D`uint64_t"},
		{"interest", "IDENT interest"},
		{"@", "AGG @"},
		{"@abc", "AGG @abc"},
		{"@[1]", "AGG @|LBRACKET [|INT 1|RBRACKET ]"},
		{"a/b", "IDENT a|DIV /|IDENT b"},
		{"a /= b", "IDENT a|DIV_ASSIGN /=|IDENT b"},
		{"a//b", "IDENT a|DIV /|DIV /"},
		{"x>>=1", "IDENT x|SHR_ASSIGN >>=|INT 1"},
		{"a^^b", "IDENT a|LXOR ^^|IDENT b"},
		{"a+++b", "IDENT a|INC ++|ADD +|IDENT b"},
		{"a /* b */ ", "IDENT a"},
		{"a /* b\n * c */ ", "IDENT a"},
		{"a\\\n+b", "IDENT a|ADD +|IDENT b"},
		{"a\\\r\n+b", "IDENT a|ADD +|IDENT b"},
		{"\n#!interpreter\n a", "IDENT a"},
		{"\n  # \n a", "IDENT a"},
		{"\n#pragma foo bar\n a", "IDENT a"},
		{"\n#ident \"x\"\n a", "IDENT a"},
	};
	char out[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		body_tokens(cases[i].body, out, sizeof(out));
		assert_string_equal(out, cases[i].tokens);
	}
}

/* The first message, with its tag, of a clause body. */
static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"BEGIN{089}", "[D_INT_DIGIT] constant 089 contains invalid digit 8"},
		{"BEGIN{18446744073709551616u}", "[D_INT_OFLOW] "},
		{"BEGIN{9223372036854775808}", "[D_INT_OFLOW] "},
		{"BEGIN{1.5}", "[D_SYNTAX] floating-point constants are not permitted"},
		{"BEGIN{.5}", "[D_SYNTAX] floating-point constants are not permitted"},
		{"BEGIN{1e5}", "[D_SYNTAX] floating-point constants are not permitted"},
		{"BEGIN{1.}", "[D_SYNTAX] floating-point constants are not permitted"},
		{"BEGIN{''}", "[D_CHR_NULL] empty character constant"},
		{"BEGIN{'123456789'}", "[D_CHR_OFLOW] character constant is too long"},
		{"BEGIN{'a\n'}",
		 "[D_CHR_NL] newline encountered in character constant"},
		{"BEGIN{\"a\n\"}", "[D_STR_NL] newline encountered in string literal"},
		{"BEGIN{\"a", "[D_SYNTAX] end-of-file encountered before matching \""},
		{"BEGIN{'a", "[D_SYNTAX] end-of-file encountered before matching '"},
		{"BEGIN{} /* a",
		 "[D_SYNTAX] end-of-file encountered before matching */"},
		{"/* a /* b */ BEGIN{}", "[D_SYNTAX] /* encountered inside a comment"},
		{"BEGIN{x)}", "[D_SYNTAX] extra ) in input stream"},
		{"BEGIN{x]}", "[D_SYNTAX] extra ] in input stream"},
		{"BEGIN{x}}", "[D_SYNTAX] syntax error near \"}\""},
		{"BEGIN/(x/{}", "[D_SYNTAX] closing ) expected in predicate before /"},
		{"BEGIN/x[1/{}", "[D_SYNTAX] closing ] expected in predicate before /"},
		{"BEGIN{#}", "[D_SYNTAX] syntax error near \"#\""},
		{"BEGIN{$}", "[D_SYNTAX] syntax error near \"$\""},
		{"BEGIN{\x01}", "[D_SYNTAX] syntax error near \"\\x01\""},
		{"BEGIN{\xc3\xa9}", "[D_SYNTAX] syntax error near \"\\xc3\""},
		{"#pragma D nosuch\nBEGIN{}",
		 "[D_PRAGMA_INVAL] invalid D pragma: nosuch"},
		{"#define X\nBEGIN{}",
		 "[D_PRAGCTL_INVAL] invalid control directive: #define"},
		{"#error some text\nBEGIN{}", "[D_PRAGERR] #error: some text"},
		{"#pragma D error \"some text\"\nBEGIN{}",
		 "[D_PRAGERR] #error: some text"},
		{"#pragma D option a b\nBEGIN{}",
		 "[D_PRAGMA_MALFORM] superfluous arguments specified for #pragma "
		 "option"},
		{"#pragma D option\nBEGIN{}", "[D_PRAGMA_MALFORM] "},
		{"#pragma D\nBEGIN{}", "[D_PRAGMA_MALFORM] "},
		{"#line x\nBEGIN{}", "[D_PRAGMA_MALFORM] "},
		{"#line 5 x\nBEGIN{}", "[D_PRAGMA_MALFORM] "},
		{"#pragma D option nosuch\nBEGIN{}",
		 "[D_PRAGMA_OPTSET] failed to set option 'nosuch': Invalid option "
		 "name"},
		{"BEGIN{\n#pragma D option nosuch=5\n}",
		 "[D_PRAGMA_OPTSET] failed to set option 'nosuch' to '5': "
		 "Invalid option name"},
		{"#pragma D attributes Stable/Stable/Common x\nBEGIN{}",
		 "[D_PRAGMA_UNUSED] unused #pragma attributes"},
		{"#pragma D binding \"1.0\" x\nBEGIN{}",
		 "[D_PRAGMA_UNUSED] unused #pragma binding"},
		{"#pragma D depends_on library x.d\nBEGIN{}", "[D_PRAGMA_DEPEND] "},
		{"#pragma D depends_on provider nosuch\nBEGIN{}", "[D_PRAGMA_DEPEND] "},
		{"#pragma D depends_on module nosuch\nBEGIN{}", "[D_PRAGMA_DEPEND] "},
		{"#pragma D depends_on nosuch x\nBEGIN{}", "[D_PRAGMA_INVAL] "},
		{"#pragma D depends_on provider\nBEGIN{}", "[D_PRAGMA_MALFORM] "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text,
					 .options.errtags = true};
		char expected[200], *dump = front_dump(&in, "tree"), *at;

		snprintf(expected, sizeof(expected), "invalid probe specifier ARG: %s",
			 cases[i].message);
		at = strstr(dump, "invalid probe specifier");
		if (!at)
			fail_msg("no error: %s", cases[i].text);
		at[strlen(at) < strlen(expected) ? strlen(at) : strlen(expected)] =
			'\0';
		assert_string_equal(at, expected);
		free(dump);
	}
}

static void test_accepted_pragmas(void **state)
{
	static const char *const cases[] = {
		"#pragma D option quiet\nBEGIN{}",
		"#pragma D option bufsize=4m\nBEGIN{}",
		"#pragma D ident \"x\"\nBEGIN{}",
		"#pragma weak x\nBEGIN{}",
		"#pragma D depends_on provider pid\nBEGIN{}",
		"#!/usr/sbin/dtrace -s\nBEGIN{}",
		"# 1 \"x.d\" 2\nBEGIN{}",
		"BEGIN\n#pragma D option quiet\n/1/\n#pragma D option quiet\n{}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i], .is_file = true};
		char *dump = front_dump(&in, "tree");

		assert_null(strstr(dump, "failed"));
		assert_non_null(strstr(dump, "probe :::BEGIN"));
		free(dump);
	}
}

static void test_lines(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"\n\nBEGIN { ) }", "x.d: line 3: extra"},
		{"/* a\n */\nBEGIN { ) }", "x.d: line 3: extra"},
		{"#line 50\nBEGIN { ) }", "x.d: line 50: extra"},
		{"# 7 \"x.d\"\nBEGIN { ) }", "x.d: line 7: extra"},
		{"# 7 \"y.h\" 1 3\nBEGIN { ) }", "x.d: \"y.h\", line 7: extra"},
		{"#pragma D line 9 \"y.h\"\nBEGIN { ) }",
		 "x.d: \"y.h\", line 9: extra"},
		{"#line 3 \"y.h\"\n#line 4 \"x.d\"\nBEGIN { ) }", "x.d: line 4: extra"},
		{"/* only\n a comment */\n\n",
		 "x.d: line 4: empty D program translation unit"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text, .is_file = true};
		char *dump = front_dump(&in, "tree");

		if (!strstr(dump, cases[i].message))
			fail_msg("%s\nis not in\n%s", cases[i].message, dump);
		free(dump);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_accepted_pragmas),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
