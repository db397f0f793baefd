/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "vm/base/host/map.h"

static void test_empty(void **state)
{
	struct map m = {0};
	struct strmap s = {0};
	uint64_t v = 7;

	(void)state;
	assert_false(map_get(&m, 0, &v));
	assert_false(strmap_get(&s, "", &v));
	assert_int_equal(v, 7);
	map_remove(&m, 0);
	map_release(&m);
	strmap_release(&s);
}

static void test_set_replaces(void **state)
{
	struct map m = {0};
	uint64_t v = 0;

	(void)state;
	map_set(&m, 0, 1);
	map_set(&m, UINT64_MAX, 2);
	map_set(&m, 0, 3);
	assert_int_equal(m.len, 2);
	assert_true(map_get(&m, 0, &v) && v == 3);
	assert_true(map_get(&m, UINT64_MAX, &v) && v == 2);
	assert_true(map_get(&m, 0, NULL));
	map_release(&m);
	assert_int_equal(m.len, 0);
}

/*
 * Against an array as the model: growth, collisions and removal, where later
 * entries of a run must still be found.
 */
static void test_against_model(void **state)
{
	enum { KEYS = 97, STEPS = 50000 };
	uint64_t model[KEYS] = {0}, v, random = 1;
	struct map m = {0};
	size_t len = 0;

	(void)state;
	for (uint64_t step = 1; step <= STEPS; step++) {
		uint64_t key;

		random = random * 6364136223846793005u + 1442695040888963407u;
		key = (random >> 33) % KEYS;
		if (random >> 63) {
			len += !model[key];
			model[key] = step;
			map_set(&m, key << 32, step);
		} else {
			len -= !!model[key];
			model[key] = 0;
			map_remove(&m, key << 32);
		}
		key = (random >> 20) % KEYS;
		v = 0;
		assert_int_equal(map_get(&m, key << 32, &v), model[key] != 0);
		assert_true(v == model[key]);
		assert_int_equal(m.len, len);
	}
	map_release(&m);
}

static void test_strings(void **state)
{
	struct strmap m = {0};
	char key[32];
	uint64_t v;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "key %u", i);
		strmap_set(&m, key, i);
	}
	/* the map has its own copy: key was overwritten all along */
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "key %u", i);
		assert_true(strmap_get(&m, key, &v) && v == i);
	}
	assert_false(strmap_get(&m, "key", NULL));
	assert_false(strmap_get(&m, "key 1000", NULL));
	strmap_set(&m, "", 5);
	strmap_set(&m, "key 7", 77);
	assert_true(strmap_get(&m, "", &v) && v == 5);
	assert_true(strmap_get(&m, "key 7", &v) && v == 77);
	assert_int_equal(m.len, 1001);
	strmap_release(&m);
}

/* Each entry is at one place: a walk over all places meets all, after removals too. */
static void test_places(void **state)
{
	enum { KEYS = 100 };
	struct map m = {0};
	uint64_t v, seen[KEYS] = {0};

	(void)state;
	assert_false(map_at(&m, 0, &v));
	for (uint64_t key = 0; key < KEYS; key++)
		map_set(&m, key * 64, key);
	for (uint64_t key = 0; key < KEYS; key += 3)
		map_remove(&m, key * 64);
	for (size_t place = 0; place < m.cap; place++)
		if (map_at(&m, place, &v))
			seen[v]++;
	for (uint64_t key = 0; key < KEYS; key++)
		assert_int_equal(seen[key], key % 3 != 0);
	assert_false(map_at(&m, m.cap, &v));
	map_release(&m);
}

/* Elements of few hashes: each is found, the last added first, and no other. */
static void test_index(void **state)
{
	enum { HASHES = 5, ELEMENTS = 1000 };
	struct index x = {0};

	(void)state;
	assert_int_equal(index_first(&x, 0), 0);
	for (uint64_t n = 0; n < ELEMENTS; n++)
		index_add(&x, n % HASHES << 8);
	for (uint64_t hash = 0; hash < HASHES; hash++) {
		uint32_t last = ELEMENTS + 1, n = 0;

		for (uint32_t i = index_first(&x, hash << 8); i;
		     i = index_next(&x, i), n++) {
			assert_true(i < last && (i - 1) % HASHES == hash);
			last = i;
		}
		assert_int_equal(n, ELEMENTS / HASHES);
		assert_int_equal(index_first(&x, hash << 8 | 1), 0);
	}
	index_release(&x);
	assert_int_equal(index_first(&x, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_set_replaces),
		cmocka_unit_test(test_against_model),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
