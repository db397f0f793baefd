/* SPDX-License-Identifier: MIT */
/*
 * The choice of a way, on made-up programs: what an event takes in each way, and what
 * comes between.
 */
#include "tracer/keeper/cpu/cpu_way.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define EVENTS 100000

/* What a program takes from one event to the next, in ns, by the way of the first. */
struct load {
	const char *name;
	uint64_t gap[CPU_WAYS];
	uint64_t pause; /* every so many events something else runs, */
	uint64_t paused_ns[CPU_WAYS];
};

struct result {
	uint64_t events[CPU_WAYS];
	uint64_t ns;
};

static struct result run(struct cpu_ways *w, const struct load *l, uint64_t *now, int n)
{
	struct result r = {0};
	uint64_t start = *now;

	for (int i = 0; i < n; i++) {
		enum cpu_way way = cpu_ways_next(w, *now);

		assert_true(way < CPU_WAYS);
		r.events[way]++;
		*now += l->gap[way];
		if (l->pause && i % (int)l->pause == 0)
			*now += l->paused_ns[way];
	}
	r.ns = *now - start;
	return r;
}

static const struct load loads[] = {
	{"the other CPU is idle", {5000, 30000, 20000}, 0, {0}},
	{"all CPUs are busy", {6000, 4500, 4700}, 0, {0}},
	{"threads that compute", {40000, 25000, 6000}, 0, {0}},
	{"busy, with turns of others",
	 {6000, 4500, 9000},
	 700,
	 {3000000, 3000000, 3000000}},
	{"idle, with turns of others",
	 {5000, 30000, 20000},
	 50,
	 {400000, 400000, 400000}},
	/* all of them stop, then all of them run */
	{"64 threads, one after the other",
	 {2000, 1500, 9000},
	 64,
	 {150000, 480000, 20000}},
};

static const enum cpu_way fastest[] = {CPU_WAY_SHARE, CPU_WAY_STAY,  CPU_WAY_ROAM,
				       CPU_WAY_STAY,  CPU_WAY_SHARE, CPU_WAY_SHARE};

_Static_assert(ARRAY_LEN(loads) == ARRAY_LEN(fastest), "one for each");

static void test_settles(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loads); i++) {
		struct cpu_ways w = {0};
		uint64_t now = 1000000000;
		struct result r = run(&w, &loads[i], &now, EVENTS);

		if (r.events[fastest[i]] < EVENTS * 95 / 100)
			fail_msg("%s: %d of %d events", loads[i].name,
				 (int)r.events[fastest[i]], EVENTS);
	}
}

/* A way that is fast for some events only, until the threads have fled. */
static void test_regrets(void **state)
{
	struct cpu_ways w = {0};
	uint64_t now = 1000000000, fled = 0, shared = 0;

	(void)state;
	for (int i = 0; i < EVENTS; i++) {
		bool is_shared = cpu_ways_next(&w, now) == CPU_WAY_SHARE;

		fled = is_shared ? 0 : fled + 1;
		shared += is_shared;
		now += is_shared || fled < 300 ? 5000 - !is_shared * 800U : 25000;
	}
	assert_true(shared > EVENTS * 90 / 100);
}

/* What the trials cost, over the way that is the fastest: 2 parts in 100. */
static void test_cost(void **state)
{
	struct cpu_ways w = {0};
	uint64_t now = 1000000000;
	struct result r = run(&w, &loads[0], &now, EVENTS);

	(void)state;
	assert_true(r.ns < 5000ULL * EVENTS * 102 / 100);
	assert_true(r.events[CPU_WAY_STAY] && r.events[CPU_WAY_ROAM]);
}

/* The first events of a program are like the later ones. */
static void test_begins(void **state)
{
	struct cpu_ways w = {0};
	uint64_t now = 1000000000;
	struct result r = run(&w, &loads[0], &now, 1000);

	(void)state;
	assert_int_equal(r.events[CPU_WAY_SHARE], 1000);
}

/* One load after the other, each found soon. */
static void test_follows(void **state)
{
	struct cpu_ways w = {0};
	uint64_t now = 1000000000;

	(void)state;
	for (int turn = 0; turn < 10; turn++) {
		size_t i = (size_t)turn % 3;
		struct result r = run(&w, &loads[i], &now, EVENTS);

		assert_true(r.events[fastest[i]] > EVENTS * 60 / 100);
	}
}

/* Events that are 20 ms apart: the others get their turn all the same. */
static void test_slow(void **state)
{
	static const struct load slow = {
		"slow", {20000000, 20000000, 20000000}, 0, {0}};
	struct cpu_ways w = {0};
	uint64_t now = 1000000000;
	struct result r = run(&w, &slow, &now, 2000);

	(void)state;
	assert_true(r.events[CPU_WAY_ROAM] > 100);
	assert_true(r.events[CPU_WAY_SHARE] > 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settles), cmocka_unit_test(test_regrets),
		cmocka_unit_test(test_cost),	cmocka_unit_test(test_begins),
		cmocka_unit_test(test_follows), cmocka_unit_test(test_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
