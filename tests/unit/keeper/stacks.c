/* SPDX-License-Identifier: MIT */
/* The rows of modules that come and go, and the lists that resident code looks in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/keeper/os/memory_file.h"
#include "tracer/keeper/space/stacks.h"
#include "vm/base/host/vec.h"

#define ROOM 8

/* A block with ROOM elements, so many thread control blocks and nothing else. */
static struct resident_view make_block(uint32_t ntcbs)
{
	struct resident_view v = {
		.layout = {.config.nmodules = ROOM,
			   .modules_at = sizeof(struct resident_block)},
		.there.nmodules = ROOM};
	size_t size;

	v.layout.tcbs_at = align_up(
		v.layout.modules_at + ROOM * sizeof(struct cfi_module), RESIDENT_PAGE);
	size = v.layout.tcbs_at + ntcbs * RESIDENT_TCB_BYTES;
	v.block = aligned_alloc(RESIDENT_PAGE, size);
	assert_non_null(v.block);
	memset(v.block, 0, size);
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
	struct resident_view v = make_block(0);
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
	struct resident_view v = make_block(0);
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

/* What KEEPER_REQ_ROWS brings: a file of one module with one row. */
static struct link_memory rows_of(uint64_t lo, int32_t cfa)
{
	struct {
		struct cfi_file head;
		struct cfi_module module;
		struct cfi_row row;
	} file = {
		.head = {CFI_MAGIC, 1, sizeof(file)},
		.module = {lo, lo + 0x1000, offsetof(__typeof__(file), row), 1},
		.row = {.cfa = cfa},
	};

	struct link_memory m = {memory_file_new("rows", sizeof(file)), sizeof(file)};

	assert_int_equal(pwrite(m.fd, &file, sizeof(file), 0), sizeof(file));
	return m;
}

static void add_rows(struct stacks *s, uint64_t lo, int32_t cfa)
{
	struct link_memory m = rows_of(lo, cfa);
	struct err e;

	assert_int_equal(stacks_add(s, m, &e), 0);
	close(m.fd);
}

/* As inject_rows() does: maps missing rows, at `next` if there is no area for them. */
static uint64_t map_missing(struct stacks *s, uint64_t *next)
{
	uint64_t bytes = stacks_missing(s), at = *next;

	assert_int_not_equal(bytes, 0);
	if (!stacks_take_area(s, &at, &bytes))
		*next += bytes;
	stacks_note_there(s, at, bytes);
	return at;
}

#define KEPT_AT	  0x10000
#define PLUGIN_AT 0x20000

/* Rows that differ each time: so many files and areas are kept, and no more. */
static void test_rows_are_given_up(void **state)
{
	struct stacks *s = stacks_new();
	uint64_t next = 0x1000000, bound, kept;
	size_t most = 0;

	(void)state;
	add_rows(s, KEPT_AT, -1);
	kept = map_missing(s, &next);
	bound = next + 100 * 4096;
	for (int32_t i = 0; i < 1000; i++) {
		add_rows(s, PLUGIN_AT, i);
		if (stacks_are_crowded(s, NULL))
			stacks_recycle(s, NULL, 0);
		assert_int_not_equal(map_missing(s, &next), kept);
		assert_int_equal(s->modules.len, 2);
		most = s->files.len > most ? s->files.len : most;
	}
	assert_true(next < bound);
	assert_true(most > 2 && most < 100);
	assert_int_equal(s->areas.len, (next - 0x1000000) / 4096);
	stacks_free(s);
}

/* An area has rows of several modules: it is kept until all have gone. */
static void test_area_of_several(void **state)
{
	struct stacks *s = stacks_new();
	uint64_t next = 0x1000000, at, bytes = 1;

	(void)state;
	add_rows(s, KEPT_AT, 1);
	add_rows(s, PLUGIN_AT, 2);
	map_missing(s, &next);
	stacks_forget(s, (struct addr_range){{PLUGIN_AT}, {PLUGIN_AT + 1}});
	stacks_recycle(s, NULL, 0);
	assert_false(stacks_take_area(s, &at, &bytes));
	stacks_forget(s, (struct addr_range){{KEPT_AT}, {KEPT_AT + 1}});
	stacks_recycle(s, NULL, 0);
	assert_int_equal(s->files.len, 0);
	bytes = 4097; /* too large for it */
	assert_false(stacks_take_area(s, &at, &bytes));
	bytes = 1;
	assert_true(stacks_take_area(s, &at, &bytes));
	assert_int_equal(at, 0x1000000);
	assert_int_equal(bytes, 4096);
	bytes = 1;
	assert_false(stacks_take_area(s, &at, &bytes)); /* it is given away */
	stacks_free(s);
}

/* The lists begin at 0 again: what threads found in the one that was there does not hold. */
static void test_lists_begin_anew(void **state)
{
	struct resident_view v = make_block(2);
	struct stacks *s = stacks_new();

	(void)state;
	for (uint64_t i = 0; i < ROOM / 2; i++)
		add(s, 0x10000 + i * 0x1000, 0x8000 + i);
	stacks_publish(s, &v);
	assert_false(stacks_are_crowded(s, &v));
	add(s, 0x90000, 0x9000);
	stacks_publish(s, &v); /* there is no room */
	assert_int_equal(v.block->modules, resident_list(ROOM / 2, 0));
	stacks_forget(s, (struct addr_range){{0x10000}, {0x10001}});
	stacks_publish(s, &v);
	assert_true(stacks_are_crowded(s, &v));
	for (uint32_t i = 0; i < 2; i++)
		resident_tcb_at(&v, i)->cfi_list = resident_list(0, ROOM / 2);
	stacks_recycle(s, &v, 2);
	assert_int_equal(v.block->modules, resident_list(0, ROOM / 2));
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(resident_tcb_at(&v, i)->cfi_list, UINT64_MAX);
	assert_false(stacks_are_crowded(s, &v));
	stacks_free(s);
	free(v.block);
}

/* A thread that stays in a hit keeps stacks_recycle() away: what is kept is bounded. */
static void test_never_recycled(void **state)
{
	struct stacks *s = stacks_new();
	uint64_t next = 0x1000000;

	(void)state;
	for (int32_t i = 0; i < 400; i++) {
		add_rows(s, PLUGIN_AT, i);
		map_missing(s, &next);
	}
	assert_int_equal(s->files.len, 400);
	assert_false(stacks_report_full(s));
	for (int32_t i = 400; i < 2000; i++)
		add_rows(s, PLUGIN_AT, i);
	assert_in_range(s->files.len, 400, 600);
	assert_true(stacks_report_full(s));
	assert_int_equal(s->modules.len, 0); /* what was there has gone */
	stacks_recycle(s, NULL, 0);
	assert_int_equal(s->files.len, 0);
	add_rows(s, PLUGIN_AT, 1);
	assert_int_equal(s->modules.len, 1);
	stacks_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_are_used_up),
		cmocka_unit_test(test_fewer_fit_again),
		cmocka_unit_test(test_rows_are_given_up),
		cmocka_unit_test(test_area_of_several),
		cmocka_unit_test(test_never_recycled),
		cmocka_unit_test(test_lists_begin_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
