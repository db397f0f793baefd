/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/host/arena.h"
#include "vm/base/host/vec.h"

/* Zeroed, aligned, apart from each other; also larger than a block. */
static void test_alloc(void **state)
{
	static const size_t sizes[] = {0,     1,     15,    16,	    17, 4096,
				       65535, 65536, 65537, 200000, 3};
	struct arena a = {0};
	unsigned char *p[ARRAY_LEN(sizes)];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		p[i] = arena_alloc(&a, sizes[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		for (size_t b = 0; b < sizes[i]; b++)
			assert_int_equal(p[i][b], 0);
		memset(p[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (size_t b = 0; b < sizes[i]; b++)
			assert_int_equal(p[i][b], i + 1);
	arena_release(&a);
	assert_null(a.blocks);
}

static void test_strings(void **state)
{
	struct arena a = {0};

	(void)state;
	assert_string_equal(arena_strdup(&a, ""), "");
	assert_string_equal(arena_strdup(&a, "abc"), "abc");
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_printf(&a, "%s-%d", "x", 12), "x-12");
	arena_release(&a);
}

static void test_vec(void **state)
{
	struct {
		uint32_t *data;
		size_t len, cap;
	} v = {0};

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		*vec_push(&v) = i * 3;
	assert_int_equal(v.len, 1000);
	assert_true(v.cap >= v.len);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(v.data[i], i * 3);
	vec_release(&v);
	assert_null(v.data);
	assert_int_equal(v.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_vec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
