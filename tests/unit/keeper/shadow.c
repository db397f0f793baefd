/* SPDX-License-Identifier: MIT */
/*
 * Clauses in a process that read the code around them, which is full of jumps, islands
 * and breakpoints by then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "hook/resident.h"
#include "tests/unit/support/keeper_hooked.h"

static int set_up_reading(void **state)
{
	front_reads = true;
	return set_up(state);
}

static int set_up_reading_later(void **state)
{
	front_reads = true;
	return set_up_quick(state);
}

static int tear_down_reading(void **state)
{
	front_reads = false;
	return tear_down_quick(state);
}

/* How many masks the process has for clauses in it; -1: no block. */
static long count_shadows(void)
{
	unsigned long lo, hi, offset;
	char line[512];
	uint64_t at = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "memfd:fpid-tables") &&
		    sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &offset) == 3 && !offset)
			at = lo;
	if (f)
		fclose(f);
	return !at ? -1
		   : (long)(((const struct resident_block *)(uintptr_t)at)->shadows &
			    ((1u << RESIDENT_TURN_SHIFT) - 1));
}

/* All of the hooked code is read by the clause of hook_callee, once a turn. */
static int body_read(void)
{
	for (int turn = 1; !shared->end; turn++) {
		for (long *at = (void *)hook_begin; at < (long *)(void *)hook_end; at++)
			hook_callee((long)at);
		shared->loads = count_shadows();
		shared->ready = turn;
		while (shared->go <= turn && !shared->end)
			usleep(1000);
	}
	return 7;
}

static void next_reading(void)
{
	int turn = shared->ready + 1;

	shared->go = turn;
	while (shared->ready < turn)
		pause_ms(1);
}

/* The same of the code as it is in this process, which has no detours. */
static uint64_t sum_of_code(void)
{
	uint64_t sum = 0, word;

	for (const char *at = hook_begin; at < hook_end; at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum += word;
	}
	return sum;
}

static long masks_of(size_t bytes)
{
	return (long)((bytes + RESIDENT_SHADOW_MAX - 1) / RESIDENT_SHADOW_MAX);
}

static long masks_of_all(void)
{
	long n = 0;

	for (int i = 0; i < NFUNCTIONS; i++)
		n += masks_of(hook_plan_patched(&plans[i])) +
		     (hook_plan_has_island(&plans[i])
			      ? masks_of(hook_island_written(&plans[i].island))
			      : 0);
	return n;
}

static void set_breakpoint(struct front *f, pid_t pid, char *at, uint32_t probe)
{
	struct front_site site = {.at = at, .probe = probe, .kind = KEEPER_SITE_OFFSET};

	assert_int_equal(front_sites(f, pid, &site, 1), 1);
	assert_int_equal(site.result, KEEPER_SITE_BREAKPOINT);
}

/* Who reads the code finds it without jumps, islands and breakpoints, in any home. */
static void test_shadows(void **state)
{
	struct front *f;
	pid_t pid = planned(body_read);
	const uint32_t at_ret = NFUNCTIONS;
	const uint64_t sum = sum_of_code();

	(void)state;
	f = front_new_with(SLOTS);
	seize(f, pid, 0);
	set_breakpoint(f, pid, hook_callee_ret, at_ret);
	hook_all(f, pid);
	next_reading();
	assert_int_equal(front_value(f, 1, CALLEE), sum);
	assert_int_equal(front_value(f, 1, at_ret), sum);
	assert_int_equal(shared->loads, masks_of_all() + 1);
	/* In the middle of what a jump covers: two breakpoints take its place. */
	set_breakpoint(f, pid, hook_work_add, at_ret + 1);
	next_reading();
	assert_int_equal(front_value(f, 1, CALLEE), 2 * sum);
	assert_int_equal(front_value(f, 1, at_ret), 2 * sum);
	assert_int_equal(shared->loads, masks_of_all() + 2);
	/* Where an island goes as well. */
	set_breakpoint(f, pid, (char *)(uintptr_t)hook_brief, at_ret + 1);
	next_reading();
	assert_int_equal(front_value(f, 1, CALLEE), 3 * sum);
	assert_int_equal(shared->loads, masks_of_all() + 1);
	/* As if the mapping had gone. */
	assert_int_equal(
		front_call(f,
			   (struct keeper_msg){.type = KEEPER_REQ_FORGET,
					       .pid = pid,
					       .forget = {address(hook_load),
							  address(hook_load_end)}},
			   NULL, 0)
			.status,
		0);
	next_reading();
	assert_int_equal(shared->loads, masks_of_all());
	assert_true(front_value(f, 1, CALLEE) != 4 * sum);
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

/* None are kept for clauses that do not read, and all as soon as one does. */
static void test_shadows_later(void **state)
{
	struct front_site first[] = {ENTRY(WORK, WORK), ENTRY(LOAD, LOAD)};
	struct front *f;
	pid_t pid = planned(body_read);

	(void)state;
	f = front_new_with(SLOTS);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, first, 2), 2);
	set_breakpoint(f, pid, hook_callee_ret, NFUNCTIONS);
	next_reading();
	assert_int_equal(shared->loads, 0);
	assert_int_equal(front_value(f, 0, NFUNCTIONS), 512);
	front_only_counts = false;
	front_probes(f);
	hook_all(f, pid);
	next_reading();
	assert_int_equal(shared->loads, masks_of_all() + 1);
	assert_int_equal(front_value(f, 0, NFUNCTIONS), 1024);
	assert_int_equal(front_value(f, 0, CALLEE), 512);
	assert_int_equal(front_value(f, 1, CALLEE), sum_of_code());
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

/* Arguments of functions are no memory. */
static void test_shadows_none(void **state)
{
	pid_t pid = planned(body_read);
	struct front *f = hooked(pid);

	(void)state;
	next_reading();
	assert_int_equal(front_value(f, 0, CALLEE), 512);
	assert_int_equal(shared->loads, 0);
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shadows, set_up_reading,
						tear_down_reading),
		cmocka_unit_test_setup_teardown(
			test_shadows_later, set_up_reading_later, tear_down_reading),
		cmocka_unit_test_setup_teardown(test_shadows_none, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
