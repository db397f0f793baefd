/* SPDX-License-Identifier: MIT */
/*
 * Large programs: compiled and linked, or refused at once with a limit. A pass that looks
 * at everything for each thing would take minutes; the bound is generous.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "tests/unit/support/dlang_front.h"

#define SECONDS_MAX 30 /* of processor time; with sanitizers */

struct large {
	const char *begin, *item, *end; /* # in item is its number, @ the one before */
	uint32_t items;
	const char *message; /* NULL: it compiles */
};

static char *text_of(const struct large *l)
{
	struct strbuf out = {0};

	strbuf_puts(&out, l->begin);
	for (uint32_t i = 1; i <= l->items; i++) {
		for (const char *p = l->item; *p; p++) {
			if (*p == '#' || *p == '@')
				strbuf_printf(&out, "%u", *p == '#' ? i : i - 1);
			else
				strbuf_putc(&out, *p);
		}
	}
	strbuf_puts(&out, l->end);
	return out.data;
}

static void compile(const struct large *l)
{
	const struct dlang_env env = {.probe = front_probe};
	char *text = text_of(l);
	const struct dlang_source src = {.text = text, .name = "x.d", .is_file = true};
	struct dlang *d = dlang_new(&env);
	struct dlang_program program;
	struct strbuf messages = {0};
	struct err e = {0};
	void *image = NULL;
	size_t size;
	int rc = dlang_compile(d, &src, &program, &messages);

	if (!l->message) {
		if (rc)
			fail_msg("%s: %.200s", l->item, dlang_message(&messages, NULL));
		assert_int_equal(dlang_link(d, &image, &size, &e), 0);
	} else if (rc == 0 || !strstr(dlang_message(&messages, NULL), l->message)) {
		fail_msg("%s: not refused", l->item);
	}
	free(image);
	free(text);
	strbuf_release(&messages);
	dlang_free(d);
}

static void test_large(void **state)
{
	static const struct large programs[] = {
		{"", "int g#;\n", "BEGIN { }", 60000, NULL},
		{"", "int g#;\n", "BEGIN { }", 70000, "limit on number of global"},
		{"BEGIN { ", "g# = 1; ", "}", 30000, NULL},
		{"inline int f0 = 1;\n", "inline int f# = f@ + arg0;\n",
		 "BEGIN { trace(f400); }", 400, NULL},
		{"inline int f0 = 1;\n", "inline int f# = f@ + arg0;\n", "BEGIN { }",
		 1000, "too large an expression"},
		{"inline int f0 = arg0;\n", "inline int f# = f@ + f@;\n", "BEGIN { }",
		 100, "too large an expression"},
		{"", "struct s# { ", "int a; }", 20000, "nested too deeply"},
		{"struct s0 { int a; };\n", "struct s# { struct s@ m; int b; };\n",
		 "BEGIN { trace(sizeof (struct s20000)); }", 20000, NULL},
		{"typedef int t0;\n", "typedef t@ t#;\n", "t20000 x; BEGIN { x = 1; }",
		 20000, NULL},
		{"int v", "[1]", ";", 200000, "nested too deeply"},
		{"int v", "[int]", ";", 200000, "nested too deeply"},
		{"BEGIN { x = v", "[1]", "; }", 200000, "nested too deeply"},
		{"", "BEGIN { x = #; }\n", "BEGIN { }", 100000, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		clock_t begin = clock();

		compile(&programs[i]);
		if ((clock() - begin) / CLOCKS_PER_SEC > SECONDS_MAX)
			fail_msg("%s: too slow", programs[i].item);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
