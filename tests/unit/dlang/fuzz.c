/* SPDX-License-Identifier: MIT */
/*
 * Random texts through all passes: they must end, leave memory alone
 * (the sanitizers watch) and report no more than they promise. The generator
 * is seeded by the case, so a failure is repeatable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "dlang/base/diag.h"
#include "tests/unit/support/dlang_front.h"

static uint64_t seed;

static uint32_t next_random(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % below;
}

static const char *const programs[] = {
	"#!/usr/sbin/dtrace -s\n#pragma D option quiet\nint x; self string s;\n"
	"string a[int, string];\ntypedef unsigned long ul_t;\n"
	"BEGIN, pid$target:libc:malloc:entry\n/pid == $target && (x / 2) > 3/\n{\n"
	"\tx = 1 + 2 * 3; self->s = \"ab\\n\\x41\";\n\ta[1, \"x\"]++;\n"
	"\t@q[execname, x] = quantize(x ? 1 : 2, 3);\n\t@ = count();\n"
	"\tif (x) { trace(x); } else if (y) trace(1); else { }\n"
	"\tthis->t = (ul_t)x << 3 | 5ull;\n}\nEND { printf(\"%d\\n\", $1); }\n",
	"syscall::open*:entry,profile-97 /arg0 != 'a'/ { @[ustack()] = sum(-1u); "
	"printa(@); exit(0) } /* done */",
	"int *p[3], (*fp)(int, char *); extern int f(int, ...); this char c;\n"
	"tick-1s { this->c = *p[1] ^^ sizeof (int *) + stringof x->y.z; }\n"
	"# 5 \"x.h\"\n#line 7\nERROR{trace(arg4), x = y ? z : 3}",
};

static const char *const pieces[] = {
	"BEGIN",      "{",	    "}",      "(",
	")",	      "[",	    "]",      "/",
	";",	      ",",	    "x",      "@",
	"@a",	      "self->",	    "this->", "\"s\"",
	"1",	      "0x",	    "09",     "1.",
	"'a'",	      "'",	    "\"",     "$",
	"$1",	      "$$1",	    "$pid",   "$",
	"if",	      "else",	    "int",    "uint64_t",
	"sizeof",     "(int)",	    "?",      ":",
	"=",	      "+=",	    "++",     "->",
	".",	      "...",	    "*",      "&&",
	"^^",	      "typedef",    "struct", "string",
	"inline",     "offsetof",   "/*",     "*/",
	"\\\n",	      "\n",	    "\n#",    "\n#pragma D ",
	"option ",    "\n#line 3 ", "`",      "a`b",
	"\\",	      "#",	    "\xff",   "\x01",
	" ",	      "a:b:c:d",    "::",     "pid$target",
	"translator", "for",	    "*/ /",   "%",
};

static void run(const char *text, bool is_file, enum dlang_spec spec)
{
	static const char *const passes[] = {"tokens", "code"};
	char *argv[] = {"-5"};

	for (size_t i = 0; i < ARRAY_LEN(passes); i++) {
		struct front_input in = {
			.text = text,
			.is_file = is_file,
			.spec = spec,
			.options = {.argc = 1, .argv = argv, .errtags = true},
		};
		char *dump = front_dump(&in, passes[i]);

		assert_true(
			front_count(dump, is_file ? "failed to compile script x.d: ["
						  : "invalid probe specifier ARG: [") <=
			DIAG_MAX);
		free(dump);
	}
}

static void test_soup(void **state)
{
	char text[2048];

	(void)state;
	for (uint32_t i = 1; i <= 4000; i++) {
		size_t len = 0, words = 1 + i % 60;

		seed = i * UINT64_C(0x9e3779b97f4a7c15);
		for (size_t w = 0; w < words; w++) {
			const char *piece = pieces[next_random(ARRAY_LEN(pieces))];

			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
						piece, next_random(2) ? " " : "");
		}
		run(text, i & 1, (enum dlang_spec)next_random(4));
	}
}

/* Every prefix of good programs. */
static void test_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		for (size_t n = 0; n <= strlen(programs[i]); n++) {
			char *text = strndup(programs[i], n);

			run(text, n & 1, DLANG_SPEC_NAME);
			free(text);
		}
	}
}

static void mutate(char *text)
{
	size_t n = strlen(text), at = next_random((uint32_t)n);

	switch (next_random(3)) {
	case 0:
		text[at] = (char)(1 + next_random(255));
		break;
	case 1:
		memmove(text + at, text + at + 1, n - at);
		break;
	default: {
		size_t other = next_random((uint32_t)n);
		char c = text[at];

		text[at] = text[other];
		text[other] = c;
	}
	}
}

static void test_mutated(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 3000; i++) {
		char *text = strdup(programs[i % ARRAY_LEN(programs)]);
		uint32_t times;

		seed = i * UINT64_C(0xbf58476d1ce4e5b9);
		times = 1 + next_random(6);
		for (uint32_t m = 0; m < times; m++)
			mutate(text);
		run(text, i & 1, DLANG_SPEC_NAME);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_soup),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_mutated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
