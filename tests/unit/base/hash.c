/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "vm/base/base.h"
#include "vm/base/hash.h"

static void test_equal_input(void **state)
{
	char a[32] = "the same bytes", b[33] = ".the same bytes";

	(void)state;
	/* whatever the alignment */
	for (size_t n = 0; n < 15; n++)
		assert_true(hash_bytes(a, n, 7) == hash_bytes(b + 1, n, 7));
	assert_true(hash_u64(42) == hash_u64(42));
}

/* Zero bytes count: keys differ by their length and by the seed. */
static void test_different_input(void **state)
{
	const char zeros[32] = {0};
	uint64_t seen[33];

	(void)state;
	for (size_t n = 0; n <= 32; n++) {
		seen[n] = hash_bytes(zeros, n, 0);
		for (size_t i = 0; i < n; i++)
			assert_true(seen[i] != seen[n]);
	}
	assert_true(hash_bytes("a", 1, 0) != hash_bytes("a", 1, 1));
	assert_true(hash_bytes("ab", 2, 0) != hash_bytes("ba", 2, 0));
}

/* Each word of a long key counts, and so does its place. */
static void test_long_keys(void **state)
{
	uint64_t key[21], first;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(key); i++)
		key[i] = 0x401000 + i * 0x13;
	first = hash_bytes(key, sizeof(key), 0);
	for (size_t i = 0; i < ARRAY_LEN(key); i++) {
		for (unsigned bit = 0; bit < 64; bit++) {
			key[i] ^= UINT64_C(1) << bit;
			assert_true(hash_bytes(key, sizeof(key), 0) != first);
			key[i] ^= UINT64_C(1) << bit;
		}
		for (size_t k = 0; k < i; k++) {
			const uint64_t at_i = key[i];

			key[i] = key[k];
			key[k] = at_i;
			assert_true(hash_bytes(key, sizeof(key), 0) != first);
			key[k] = key[i];
			key[i] = at_i;
		}
	}
	assert_true(hash_bytes(key, sizeof(key), 1) != first);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Keys that differ in some bits of their words alone, whatever the bits: as many hashes
 * as keys.
 */
static void test_bits_of_words(void **state)
{
	enum { WORDS = 13, KEYS = 1 << WORDS };
	static uint64_t seen[KEYS];

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		for (uint32_t i = 0; i < KEYS; i++) {
			uint64_t key[WORDS];

			for (unsigned w = 0; w < WORDS; w++)
				key[w] = UINT64_C(0x6867666564636261) ^
					 (uint64_t)(i >> w & 1) << bit;
			seen[i] = hash_bytes(key, sizeof(key), 0);
		}
		qsort(seen, KEYS, sizeof(*seen), compare_numbers);
		for (uint32_t i = 1; i < KEYS; i++)
			assert_true(seen[i] != seen[i - 1]);
	}
}

/* Who knows no seed cannot undo one word by the next, in neither chain. */
static void test_undone_words(void **state)
{
	const uint64_t top = UINT64_C(1) << 63, middle = UINT64_C(1) << 31;
	unsigned equal = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		for (unsigned step = 1; step <= 2; step++) {
			uint64_t key[8], other[8];

			for (uint64_t i = 0; i < 8; i++)
				key[i] = other[i] = hash_u64(seed * 8 + i);
			other[1] ^= top;
			other[1 + step] ^= top | middle;
			equal += hash_bytes(key, sizeof(key), hash_u64(seed)) ==
				 hash_bytes(other, sizeof(other), hash_u64(seed));
		}
	}
	assert_int_equal(equal, 0);
}

static void test_never_zero(void **state)
{
	(void)state;
	assert_true(hash_u64(0) != 0);
	for (uint64_t i = 0; i < 10000; i++)
		assert_true(hash_u64(i) != 0 && hash_bytes(&i, 8, i) != 0);
}

/* Consecutive keys fill 256 places about evenly by their low bits. */
static void test_spread(void **state)
{
	unsigned places[256] = {0};

	(void)state;
	for (uint64_t i = 0; i < 256 * 64; i++)
		places[hash_bytes(&i, 8, 0) & 255]++;
	for (size_t i = 0; i < 256; i++)
		assert_in_range(places[i], 24, 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_input),
		cmocka_unit_test(test_different_input),
		cmocka_unit_test(test_long_keys),
		cmocka_unit_test(test_bits_of_words),
		cmocka_unit_test(test_undone_words),
		cmocka_unit_test(test_never_zero),
		cmocka_unit_test(test_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
