/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/host/err.h"

static void test_set(void **state)
{
	struct err e = {.tag = "D_OLD"};

	(void)state;
	assert_int_equal(err_set(&e, STATUS_PERM, "cannot attach to '%d'", 42),
			 STATUS_PERM);
	assert_int_equal(e.status, STATUS_PERM);
	assert_string_equal(e.text, "cannot attach to '42'");
	assert_string_equal(e.tag, "");
}

static void test_errno(void **state)
{
	struct err e;

	(void)state;
	errno = ENOENT;
	assert_int_equal(err_errno(&e, STATUS_NOENT, "cannot open '%s'", "x"),
			 STATUS_NOENT);
	assert_string_equal(e.text, "cannot open 'x': No such file or directory");
	errno = EAGAIN;
	err_errno(&e, STATUS_NOMEM, "cannot fork");
	assert_non_null(strstr(e.text, "raise the limit of processes (ulimit -u"));
}

static void test_tag(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_tag(&e, "D_PROTO_LEN", "%d args passed", 3),
			 STATUS_SYNTAX);
	assert_string_equal(e.tag, "D_PROTO_LEN");
	assert_string_equal(e.text, "3 args passed");
	err_context(&e, "line %d", 7);
	assert_string_equal(e.text, "line 7: 3 args passed");
	assert_string_equal(e.tag, "D_PROTO_LEN");
	assert_int_equal(e.status, STATUS_SYNTAX);
}

/* A text longer than there is room for is cut, never more. */
static void test_long_text(void **state)
{
	char text[2 * ERR_TEXT_MAX];
	struct err e;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, STATUS_IO, "%s", text);
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
	err_context(&e, "%s", "context");
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
	assert_memory_equal(e.text, "context: xxx", 12);
	errno = EIO;
	err_errno(&e, STATUS_IO, "%s", text);
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
	err_context(&e, "%s", text);
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
}

static void test_status_text(void **state)
{
	static const struct {
		int status;
		const char *text;
	} cases[] = {
		{0, "success"},
		{STATUS_NOMEM, "out of memory"},
		{STATUS_LINK, "the keeper has gone"},
		{STATUS_LINK - 1, "unknown error"},
		{1, "unknown error"},
		{INT32_MIN, "unknown error"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(status_text(cases[i].status), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),	    cmocka_unit_test(test_errno),
		cmocka_unit_test(test_tag),	    cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_status_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
