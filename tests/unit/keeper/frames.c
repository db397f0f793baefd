/* SPDX-License-Identifier: MIT */
/* The functions whose frames fire when they are left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/keeper/frames/frames.h"

static int set(struct frames **f, const void *list, size_t bytes)
{
	struct link_memory memory = {memfd_create("frames", MFD_CLOEXEC), bytes};
	struct err e;
	int rc;

	assert_true(memory.fd >= 0);
	assert_int_equal(write(memory.fd, list, bytes), bytes);
	rc = frames_set(f, memory, &e);
	close(memory.fd);
	return rc;
}

/* The probes of pc, from the last to the first, as digits. */
static unsigned find(const struct frames *f, uint64_t pc)
{
	unsigned all = 0;

	for (size_t i = frames_find(f, taddr_of(pc), f->len); i;
	     i = frames_find(f, taddr_of(pc), i - 1))
		all = all * 10 + f->data[i - 1].probe;
	return all;
}

/* Names of one function, a function within another one, gaps. */
static void test_find(void **state)
{
	static const struct keeper_frame list[] = {
		{.range = {{100}, {200}}, .probe = 2},
		{.range = {{100}, {200}}, .probe = 1},
		{.range = {{120}, {130}}, .probe = 3},
		{.range = {{300}, {310}}, .probe = 5},
		{.range = {{140}, {150}}, .probe = 4},
	};
	static const struct {
		uint64_t pc;
		unsigned probes;
	} cases[] = {{99, 0},	{100, 21},  {119, 21},	    {120, 321}, {129, 321},
		     {130, 21}, {145, 421}, {199, 21},	    {200, 0},	{299, 0},
		     {300, 5},	{310, 0},   {UINT64_MAX, 0}};
	struct frames *f = NULL;

	(void)state;
	assert_int_equal(set(&f, list, sizeof(list)), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(find(f, cases[i].pc), cases[i].probes);
	frames_forget(f, (struct addr_range){{110}, {125}});
	assert_int_equal(find(f, 120), 21);
	frames_forget(f, (struct addr_range){{0}, {250}});
	assert_int_equal(find(f, 120), 0);
	assert_int_equal(find(f, 305), 5);
	frames_free(f);
}

/* What is malformed changes nothing; a list replaces the one before. */
static void test_set(void **state)
{
	static const struct keeper_frame one = {.range = {{1}, {2}}, .probe = 7};
	static const struct keeper_frame other = {.range = {{3}, {4}}, .probe = 8};
	struct frames *f = NULL;

	(void)state;
	assert_int_equal(set(&f, &one, sizeof(one)), 0);
	assert_int_equal(set(&f, &one, sizeof(one) - 1), STATUS_BADFMT);
	assert_int_equal(find(f, 1), 7);
	assert_int_equal(set(&f, &other, sizeof(other)), 0);
	assert_int_equal(find(f, 1), 0);
	assert_int_equal(find(f, 3), 8);
	frames_free(f);
	frames_free(NULL);
	frames_forget(NULL, one.range);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
