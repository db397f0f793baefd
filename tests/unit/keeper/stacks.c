/* SPDX-License-Identifier: MIT */
/* The lists of modules that resident code looks for rows in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "tracer/keeper/space/stacks.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#define ROOM 8

/* A block with room for so many elements and nothing else. */
static struct resident_view make_block(void)
{
	struct resident_view v = {
		.layout = {.config.nmodules = ROOM,
			   .modules_at = sizeof(struct resident_block)}};

	v.block = oom_calloc(1, v.layout.modules_at + ROOM * sizeof(struct cfi_module));
	return v;
}

static void add(struct stacks *s, uint64_t lo, uint64_t rows)
{
	*vec_push(&s->modules) = (struct cfi_module){lo, lo + 0x1000, rows, 1};
	map_set(&s->there, rows, rows + 0x100000);
}

/* A list is never changed, so each change takes room, until there is none. */
static void test_lists_are_used_up(void **state)
{
	static const struct {
		uint32_t first, n; /* of the list after a change */
		bool is_news;
	} expected[] = {
		{0, 1, false}, {1, 2, false},
		{3, 3, false}, {6, 0, true}, /* there is room for two of four */
		{6, 0, false},
	};
	struct resident_view v = make_block();
	const struct cfi_module *all = resident_module_table(&v);
	struct stacks *s = stacks_new();

	(void)state;
	for (uint64_t i = 0; i < ARRAY_LEN(expected); i++) {
		add(s, 0x10000 + i * 0x1000, 0x8000 + i);
		stacks_publish(s, &v);
		assert_int_equal(v.block->modules,
				 resident_list(expected[i].first, expected[i].n));
		assert_int_equal(stacks_report_full(s), expected[i].is_news);
	}
	for (uint64_t i = 0; i < 3; i++) {
		assert_int_equal(all[3 + i].lo, 0x10000 + i * 0x1000);
		assert_int_equal(all[3 + i].rows, 0x108000 + i);
	}
	stacks_free(s);
	free(v.block);
}

/* When most have gone there is room again; that it was short is reported once. */
static void test_fewer_fit_again(void **state)
{
	struct resident_view v = make_block();
	struct stacks *s = stacks_new();

	(void)state;
	for (uint64_t i = 0; i < ROOM - 2; i++)
		add(s, 0x10000 + i * 0x1000, 0x8000 + i);
	stacks_publish(s, &v);
	add(s, 0x90000, 0x9000);
	stacks_publish(s, &v);
	assert_int_equal(v.block->modules, resident_list(ROOM - 2, 0));
	assert_true(stacks_report_full(s));
	stacks_forget(s,
		      (struct addr_range){{0x10000}, {0x10000 + (ROOM - 3) * 0x1000}});
	stacks_publish(s, &v);
	assert_int_equal(v.block->modules, resident_list(ROOM - 2, 2));
	assert_false(stacks_report_full(s));
	assert_false(stacks_report_full(NULL));
	stacks_free(s);
	free(v.block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_are_used_up),
		cmocka_unit_test(test_fewer_fit_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
