/* SPDX-License-Identifier: MIT */
/* Copying, zeroing and comparing at all alignments, over each way they are done. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/base.h"
#include "vm/base/bytes.h"

enum { LENGTH_MAX = 1100 };

static void fill(unsigned char *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		p[i] = (unsigned char)(seed >> 16);
	}
}

/* Buffers of the exact length, at all alignments. */
static void test_copy_and_zero(void **state)
{
	(void)state;
	for (size_t n = 0; n < LENGTH_MAX; n += n < 40 ? 1 : 37) {
		for (size_t shift = 0; shift < 3; shift++) {
			unsigned char *from = malloc(n + shift + 1);
			unsigned char *to = malloc(n + shift + 1);

			fill(from, n + shift, (unsigned)n);
			bytes_copy(to + shift, from, n);
			assert_memory_equal(to + shift, from, n);
			bytes_zero(to + shift, n);
			for (size_t i = 0; i < n; i++)
				assert_int_equal(to[shift + i], 0);
			free(from);
			free(to);
		}
	}
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static void test_compare(void **state)
{
	unsigned char a[64], b[64];

	(void)state;
	fill(a, sizeof(a), 7);
	for (size_t n = 0; n < sizeof(a); n++) {
		memcpy(b, a, sizeof(b));
		assert_int_equal(bytes_compare(a, b, n), 0);
		for (size_t i = 0; i < n; i++) {
			b[i] ^= 0x80;
			assert_int_equal(sign(bytes_compare(a, b, n)),
					 sign(memcmp(a, b, n)));
			b[i] ^= 0x80;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy_and_zero),
		cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
