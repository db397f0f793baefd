/* SPDX-License-Identifier: MIT */
#include "tracer/base/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LONG 6000 /* characters: names of C++ have no bound */

/* A probe is known by all of its four names, and added once. */
static void test_add(void **state)
{
	static const char *const names[][4] = {
		{"pid1", "m", "f", "entry"},  {"pid1", "m", "f", "return"},
		{"pid1", "m", "", "entry"},   {"pid1", "", "m", "entry"},
		{"pid", "1m", "f", "entry"},  {"pid1", "m:f", "", "entry"},
		{"pid1", "m", ":f", "entry"}, {"pid1:m", "", "f", "entry"},
	};
	struct probes ps;

	(void)state;
	probes_init(&ps);
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
			assert_int_equal(probes_add(&ps, NULL, names[i]), i + 1);
	assert_int_equal(ps.table.len, ARRAY_LEN(names));
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
		for (int f = 0; f < 4; f++)
			assert_string_equal(probes_name(&ps, probes_get(&ps, i + 1),
							(enum probe_field)f),
					    names[i][f]);
	probes_release(&ps);
}

static void test_long_names(void **state)
{
	char *a = malloc(LONG + 1), *b = malloc(LONG + 1);
	struct probes ps;

	(void)state;
	memset(a, 'x', LONG);
	a[LONG] = '\0';
	memcpy(b, a, LONG + 1);
	b[LONG - 1] = 'y';
	probes_init(&ps);
	assert_int_equal(probes_add(&ps, NULL, (const char *[4]){"p", "m", a, "n"}), 1);
	assert_int_equal(probes_add(&ps, NULL, (const char *[4]){"p", "m", b, "n"}), 2);
	assert_int_equal(probes_add(&ps, NULL, (const char *[4]){"p", "m", a, "n"}), 1);
	probes_release(&ps);
	free(a);
	free(b);
}

/* Each probe keeps its own clauses, in their order, however many others there are. */
static void test_clauses(void **state)
{
	enum { MANY = 9000 };
	struct probes ps;
	char name[16];

	(void)state;
	probes_init(&ps);
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		probes_add(&ps, NULL, (const char *[4]){"p", "m", name, "n"});
	}
	for (uint32_t clause = 0; clause < 4; clause++)
		for (uint32_t id = 1; id <= MANY; id++)
			if (clause <= id % 5)
				probes_enable(&ps, id, clause);
	for (uint32_t id = 1; id <= MANY; id++) {
		const struct probe *p = probes_get(&ps, id);

		assert_int_equal(p->nenablings, min_u64(id % 5 + 1, 4));
		for (uint32_t i = 0; i < p->nenablings; i++)
			assert_int_equal(probe_enablings(p)[i].clause, i);
		assert_true(probe_enablings(p)[0].epid == id);
	}
	probes_release(&ps);
}

/* What exists is found, and what is new is added, by indexes that are made again. */
static void test_indexes_made_again(void **state)
{
	enum { MANY = 1000 };
	struct probes ps;
	size_t names = 0;

	(void)state;
	probes_init(&ps);
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < MANY; i++) {
			char function[16];
			const char *const name[4] = {"p", "", function,
						     i % 2 ? "entry" : "return"};

			snprintf(function, sizeof(function), "f%u", i / 2);
			assert_int_equal(probes_find(&ps, name), turn ? i + 1 : 0);
			assert_int_equal(probes_add(&ps, NULL, name), i + 1);
		}
		assert_true(!turn || ps.names.len == names);
		names = ps.names.len;
		probes_drop_indexes(&ps);
	}
	assert_int_equal(probes_add(&ps, NULL, (const char *[4]){"p", "", "new", "n"}),
			 MANY + 1);
	probes_release(&ps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_indexes_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
