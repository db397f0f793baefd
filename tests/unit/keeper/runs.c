/* SPDX-License-Identifier: MIT */
/*
 * Numbers of sites and lists: none is given twice, and what comes back is used again. Which
 * sites have a short way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/keeper/os/owner_watch.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/space/runs.h"
#include "vm/base/host/vec.h"

#include <sys/mman.h>

#define MAX 1024u

static unsigned char taken[MAX];

static uint32_t take(struct runs *r, uint32_t n)
{
	uint32_t first = runs_take(r, n);

	for (uint32_t i = 0; first != RUNS_NONE && i < n; i++) {
		assert_true(first + i < MAX);
		assert_int_equal(taken[first + i]++, 0);
	}
	return first;
}

static void give(struct runs *r, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		taken[first + i]--;
	runs_give(r, first, n);
}

/* A library of 300 lists that is loaded again and again, beside one that stays. */
static void test_used_again(void **state)
{
	struct runs r = {.max = MAX};
	uint32_t first[300];

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		assert_int_not_equal(take(&r, 1), RUNS_NONE);
	for (int round = 0; round < 1000; round++) {
		for (uint32_t i = 0; i < 300; i++) {
			first[i] = take(&r, 1 + i % 3);
			assert_int_not_equal(first[i], RUNS_NONE);
		}
		for (uint32_t i = 0; i < 300; i++)
			give(&r, first[i], 1 + i % 3);
	}
	assert_true(r.end <= 100 + 100 * (1 + 2 + 4));
	runs_release(&r);
}

/* When all were given once, short runs are parts of long ones that came back. */
static void test_split_when_full(void **state)
{
	struct runs r = {.max = 64};

	(void)state;
	memset(taken, 0, sizeof(taken));
	assert_int_equal(take(&r, 64), 0);
	assert_int_equal(take(&r, 1), RUNS_NONE);
	give(&r, 0, 64);
	for (int i = 0; i < 64; i++)
		assert_int_not_equal(take(&r, 1), RUNS_NONE);
	assert_int_equal(take(&r, 1), RUNS_NONE);
	assert_int_equal(runs_take(&r, UINT32_MAX), RUNS_NONE);
	runs_release(&r);
}

/* Detours with a block that is mapped as the keeper maps one. */
static struct detours *detours_with_block(uint32_t nsites)
{
	const struct resident_config c = {
		.nsites = nsites, .nhits = 8, .nranges = 8, .ntcbs = 1};
	struct detours *d = detours_new();
	char *p;

	assert_true(resident_lay_out(&d->view.layout, &c) > 0);
	p = mmap(NULL, d->view.layout.bytes + OWNER_WATCH_ROOM, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	d->view.block = (void *)(p + OWNER_WATCH_ROOM);
	d->site_numbers.max = nsites;
	return d;
}

/* Resident code finds no stub at numbers that came back: it stores into switches of all. */
static void test_no_stub(void **state)
{
	struct detours *d = detours_with_block(64);
	struct resident_site *sites = resident_site_table(&d->view);
	struct detour kept = {.plan.nsites = 1}, gone = {.plan.nsites = 3};

	(void)state;
	assert_int_equal(detours_take_numbers(d, &gone), 0);
	assert_int_equal(detours_take_numbers(d, &kept), 0);
	for (uint32_t i = 0; i < 3; i++)
		sites[gone.first_site + i].epilogue = 1000 + i;
	sites[kept.first_site].epilogue = 2000;
	detours_give_back(d, &gone);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(sites[i].epilogue, i == kept.first_site ? 2000 : 0);
	detours_free(d);
}

/* An indirect jump by a register that has no other hit. */
static void test_short_way_of_jumps(void **state)
{
	enum { RAX, R15 = 15 };
	const struct {
		uint64_t word;
		struct resident_hit hit;
		bool is_short;
	} cases[] = {
		{resident_list(1, 1), {.kind = RESIDENT_LEAVING, .nranges = 1}, true},
		{resident_list(1, 1),
		 {.kind = RESIDENT_LEAVING, .nranges = 2, .reg = R15},
		 true},
		{resident_list(1, 1),
		 {.kind = RESIDENT_LEAVING, .nranges = 1, .reg = RESIDENT_NO_REG},
		 false},
		{resident_list(1, 1), {.kind = RESIDENT_LEAVING, .nranges = 0}, false},
		{resident_list(1, 1), {.kind = RESIDENT_RETURN, .nranges = 1}, false},
		{resident_list(1, 1),
		 {.kind = RESIDENT_LEAVING | RESIDENT_RAW, .nranges = 1},
		 false},
		{resident_list(1, 2), {.kind = RESIDENT_LEAVING, .nranges = 1}, false},
		{resident_list(1, 0), {.kind = RESIDENT_LEAVING, .nranges = 1}, false},
		{resident_alone(1), {.kind = RESIDENT_LEAVING, .nranges = 1}, false},
	};
	struct detours *d = detours_with_block(64);
	const struct keeper_program none = {0};
	struct detour detour = {.plan.nsites = 1};
	const _Atomic uint64_t *light;

	(void)state;
	d->place.text = 0x7ff00000;
	assert_int_equal(detours_take_numbers(d, &detour), 0);
	light = &resident_light_table(&d->view)[detour.first_site];
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t at = d->place.text + detours_text()->leaving +
			      cases[i].hit.reg * RESIDENT_LEAVING_BYTES;

		resident_hit_table(&d->view)[1] = cases[i].hit;
		atomic_store(&resident_site_table(&d->view)[detour.first_site].hits,
			     cases[i].word);
		detours_find_light(d, &none, detour.first_site);
		assert_int_equal(atomic_load(light), cases[i].is_short ? at : 0);
	}
	detours_free(d);
}

/*
 * Light routines are those of sites that have one probe. The words of lists have the
 * number of hits where other words have the probe.
 */
static void test_light_routines(void **state)
{
	static const struct native_probe probes[] = {
		{0}, {.light_entry = 16}, {.light_result = 32}};
	static uint8_t code[64];
	const struct keeper_program program = {
		.nprobes = 3,
		.version = 7,
		.native = {.bytes = code, .probes = (void *)probes}};
	const struct {
		uint64_t word;
		uint32_t at; /* in the code; 0: there is none */
	} cases[] = {
		{resident_alone(0), 0},	    {resident_alone(1), 16},
		{resident_alone(2), 0},	    {resident_return(2, 5), 32},
		{resident_return(1, 5), 0}, {resident_alone(3), 0},
		{resident_list(4, 1), 0},   {resident_list(4, 2), 0},
	};
	struct detours *d = detours_with_block(64);
	struct detour detour = {.plan.nsites = 1};

	(void)state;
	d->code.now = taddr_of(0x7ff00000);
	assert_int_equal(detours_take_numbers(d, &detour), 0);
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		const bool is_current = i % 2 == 0;
		const uint32_t at = is_current ? cases[i / 2].at : 0;

		d->program_version = is_current ? 7 : 6;
		atomic_store(&resident_site_table(&d->view)[detour.first_site].hits,
			     cases[i / 2].word);
		detours_find_light(d, &program, detour.first_site);
		assert_int_equal(resident_light_table(&d->view)[detour.first_site],
				 at ? 0x7ff00000 + at : 0);
	}
	detours_free(d);
}

/* A list that was in use is not used again while a thread may read it. */
static void test_lists_in_use(void **state)
{
	const struct resident_text *text = detours_text();
	struct detours *d = detours_with_block(64);
	const uint64_t busy[] = {text->enter, text->leaving + 5, text->fast_end - 1};
	const uint64_t idle[] = {text->enter - 1, text->fast_end, text->guard_begin};

	(void)state;
	d->is_installed = true;
	d->place.text = 0x7ff00000;
	d->lists.max = 8;
	for (size_t i = 0; i < 3; i++) {
		const taddr in[] = {taddr_of(1), taddr_of(d->place.text + busy[i])};
		const taddr out[] = {taddr_of(1), taddr_of(d->place.text + idle[i])};
		const struct detour_list list = {.first = runs_take(&d->lists, 1),
						 .n = 1};

		assert_int_equal(list.first, 0);
		*vec_push(&d->retired) = list;
		detours_recycle(d, in, 2);
		assert_int_equal(d->retired.len, 1);
		detours_recycle(d, out, 2);
		assert_int_equal(d->retired.len, 0);
	}
	detours_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_used_again),
		cmocka_unit_test(test_split_when_full),
		cmocka_unit_test(test_no_stub),
		cmocka_unit_test(test_short_way_of_jumps),
		cmocka_unit_test(test_light_routines),
		cmocka_unit_test(test_lists_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
