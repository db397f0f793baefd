/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/base.h"
#include "vm/base/bytes.h"

static void test_copy_and_zero(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 9; n++) {
		char src[12] = "abcdefghijk", dst[12] = "...........";

		bytes_copy(dst, src, n);
		assert_memory_equal(dst, src, n);
		assert_int_equal(dst[n], '.');
		bytes_zero(dst, n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(dst[i], 0);
		assert_int_equal(dst[n], '.');
	}
}

static void test_compare(void **state)
{
	static const struct {
		const char *a, *b;
		size_t n;
		int sign;
	} cases[] =
		{
			{"", "", 0, 0},
			{"a", "b", 0, 0},
			{"a", "b", 1, -1},
			{"b", "a", 1, 1},
			{"abc", "abd", 2, 0},
			{"abc", "abd", 3, -1},
			{"a\0b", "a\0a", 3, 1},
			{"\x7f", "\x80", 1, -1}, /* bytes are unsigned */
			{"\xff", "\x01", 1, 1},
		};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int r = bytes_compare(cases[i].a, cases[i].b, cases[i].n);

		assert_int_equal((r > 0) - (r < 0), cases[i].sign);
	}
}

/* Little-endian, each size, each alignment. */
static void test_load_and_store(void **state)
{
	static const struct {
		size_t size;
		uint64_t v, stored;
	} cases[] = {
		{1, 0x80, 0x80},
		{1, 0x1ff, 0xff},
		{2, 0x1234, 0x1234},
		{2, 0x12345, 0x2345},
		{4, 0x89abcdef, 0x89abcdef},
		{4, UINT64_MAX, 0xffffffff},
		{8, 0x0123456789abcdef, 0x0123456789abcdef},
		{8, UINT64_MAX, UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t at = 1; at < 8; at++) {
			unsigned char b[24];
			uint64_t direct = 0;

			memset(b, 0xa5, sizeof(b));
			bytes_store(b + at, cases[i].v, cases[i].size);
			assert_true(bytes_load(b + at, cases[i].size) ==
				    cases[i].stored);
			memcpy(&direct, b + at, cases[i].size);
			assert_true(direct == cases[i].stored);
			assert_int_equal(b[at - 1], 0xa5);
			assert_int_equal(b[at + cases[i].size], 0xa5);
		}
	}
}

/* As memmove(3), whichever way the two overlap. */
static void test_move(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 600; n += n < 40 ? 1 : 83) {
		for (int by = -20; by <= 20; by++) {
			unsigned char got[700], want[700];

			for (size_t i = 0; i < sizeof(got); i++)
				got[i] = want[i] = (unsigned char)(i * 7 + n);
			bytes_move(got + 20 + by, got + 20, n);
			memmove(want + 20 + by, want + 20, n);
			assert_memory_equal(got, want, sizeof(got));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy_and_zero),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_load_and_store),
		cmocka_unit_test(test_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
