/* SPDX-License-Identifier: MIT */
/* Lines of /proc/PID/maps, whatever is in the path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/proc/maps_line.h"

#define HEAD "7f00a000-7f00c000 r-xp 00003000 fe:1a 1234 "

static void test_paths(void **state)
{
	static const struct {
		const char *written, *path;
		bool is_deleted;
	} cases[] = {
		{"", "", false},
		{"\n", "", false},
		{"                  /usr/lib/libc.so.6\n", "/usr/lib/libc.so.6", false},
		{"  /two\\012lines\\012/p\n", "/two\nlines\n/p", false},
		{"  /a b\tc  (d)\n", "/a b\tc  (d)", false},
		{"  /ends in a blank \n", "/ends in a blank ", false},
		{"  /back\\slash \\01 \\0123\n", "/back\\slash \\01 \n3", false},
		{"  /\xff\xfe\x80\n", "/\xff\xfe\x80", false},
		{"  /a (deleted)\n", "/a (deleted)", true},
		{"  /a\\012 (deleted) (deleted)\n", "/a\n (deleted) (deleted)", true},
		{"  /a (deleted)b\n", "/a (deleted)b", false},
		{"  (deleted)\n", "(deleted)", false},
		{"  [heap]\n", "[heap]", false},
		{"  /[heap]\n", "/[heap]", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char line[200] = HEAD;
		struct maps_line l;

		strcat(line, cases[i].written);
		assert_true(maps_line_parse(line, &l));
		assert_string_equal(l.path, cases[i].path);
		assert_int_equal(l.is_deleted, cases[i].is_deleted);
		assert_int_equal(l.path_length,
				 strlen(l.path) - (l.is_deleted ? 10 : 0));
	}
}

static void test_fields(void **state)
{
	char line[] = HEAD "/x";
	struct maps_line l;

	(void)state;
	assert_true(maps_line_parse(line, &l));
	assert_int_equal(l.lo, 0x7f00a000);
	assert_int_equal(l.hi, 0x7f00c000);
	assert_int_equal(l.offset, 0x3000);
	assert_int_equal(l.major, 0xfe);
	assert_int_equal(l.minor, 0x1a);
	assert_int_equal(l.inode, 1234);
	assert_string_equal(l.perms, "r-xp");
}

static void test_others(void **state)
{
	static const char *const others[] = {
		"",
		"\n",
		"Anonymous:      4 kB\n",
		"VmFlags: rd ex mr mw me\n",
		"7f00a000-7f00c000 r-x 00003000 fe:1a 1234 /x\n",
		"7f00a000-7f00c000 r-xp 00003000 fe:1a\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		char *line = strdup(others[i]);
		struct maps_line l;

		assert_false(maps_line_parse(line, &l));
		assert_string_equal(line, others[i]);
		free(line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
