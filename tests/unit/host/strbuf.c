/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/host/strbuf.h"

static void test_parts(void **state)
{
	struct strbuf b = {0};

	(void)state;
	strbuf_puts(&b, "");
	assert_string_equal(b.data, "");
	strbuf_puts(&b, "one");
	strbuf_putc(&b, ' ');
	strbuf_printf(&b, "%d %s", 2, "three");
	strbuf_pad(&b, '.', 3);
	strbuf_pad(&b, '#', 0);
	assert_string_equal(b.data, "one 2 three...");
	assert_int_equal(b.len, 14);
	strbuf_reset(&b);
	assert_string_equal(b.data, "");
	strbuf_puts(&b, "again");
	assert_string_equal(b.data, "again");
	strbuf_release(&b);
	assert_null(b.data);
}

static void test_reset_of_empty(void **state)
{
	struct strbuf b = {0};

	(void)state;
	strbuf_reset(&b);
	assert_string_equal(b.data, "");
	strbuf_release(&b);
}

/* Bytes of any value; always terminated after them. */
static void test_bytes(void **state)
{
	struct strbuf b = {0};

	(void)state;
	strbuf_add(&b, "a\0b", 3);
	strbuf_add(&b, NULL, 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 4);
	strbuf_release(&b);
}

/* Texts of every length around each doubling. */
static void test_growth(void **state)
{
	struct strbuf b = {0};
	size_t len = 0;

	(void)state;
	for (unsigned i = 0; i < 700; i++) {
		strbuf_printf(&b, "%*s", (int)i, "x");
		len += i ? i : 1;
		assert_int_equal(b.len, len);
		assert_int_equal(strlen(b.data), len);
		assert_int_equal(b.data[len - 1], 'x');
		assert_true(b.cap > b.len);
	}
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_reset_of_empty),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
