/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/text/shown.h"

/* Text as it is; as a name; as text if that is something else. */
struct shown_case {
	const char *text, *name, *lines;
};

static const struct shown_case cases[] = {
	{"", "", NULL},
	{"main", "main", NULL},
	{" ~\\x1b\\033", " ~\\x1b\\033", NULL},
	{"caf\303\251 \342\202\254 \360\237\224\245",
	 "caf\303\251 \342\202\254 \360\237\224\245", NULL},
	{"\033[2J\a", "\\033[2J\\007", NULL},
	{"\001\b\v\f\r\037\177", "\\001\\010\\013\\014\\015\\037\\177", NULL},
	{"a\n\tb", "a\\012\\011b", "a\n\tb"},
	/* C1 in UTF-8 and as bytes; what is no sequence, but no C1 either */
	{"\302\200\302\233\302\237\302\240", "\\302\\200\\302\\233\\302\\237\302\240",
	 NULL},
	{"\200\233\237\240\377", "\\200\\233\\237\240\377", NULL},
	{"\303", "\303", NULL},
	{"\302\302\233", "\302\\302\\233", NULL},
	{"\340\233\233\355\240\200\300\200", "\340\\233\\233\355\240\\200\300\\200",
	 NULL},
	{"\364\220\200\200", "\364\\220\\200\\200", NULL},
	/* U+061C, U+200E, U+202E, U+2066, U+2029; U+2010 is a hyphen */
	{"\330\234\342\200\216\342\200\256", "\\330\\234\\342\\200\\216\\342\\200\\256",
	 NULL},
	{"\342\201\246\342\200\251\342\200\220",
	 "\\342\\201\\246\\342\\200\\251\342\200\220", NULL},
};

static void check_shown(const struct shown_case *c, enum shown how)
{
	const char *expected = how == SHOWN_TEXT && c->lines ? c->lines : c->name;
	size_t n = strlen(c->text);
	struct strbuf got = {0};

	shown_add(&got, c->text, n, how);
	assert_string_equal(got.data, expected);
	assert_int_equal(shown_plain(c->text, n, how) == n,
			 strcmp(c->text, expected) == 0);
	strbuf_release(&got);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		check_shown(&cases[i], SHOWN_NAME);
		check_shown(&cases[i], SHOWN_TEXT);
	}
}

/* A NUL is a byte as others. */
static void test_nul(void **state)
{
	struct strbuf got = {0};

	(void)state;
	shown_add(&got, "a\0b", 3, SHOWN_TEXT);
	assert_string_equal(got.data, "a\\000b");
	strbuf_release(&got);
}

static void test_printf(void **state)
{
	char text[64] = "";
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	shown_printf(f, "%s: %d\n", "\033", 7);
	rewind(f);
	assert_non_null(fgets(text, sizeof(text), f));
	assert_string_equal(text, "\\033: 7\n");
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
