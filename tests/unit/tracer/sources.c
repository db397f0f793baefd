/* SPDX-License-Identifier: MIT */
/* Views of processes: added, read, ended, and what stays of them. */
#include "tests/unit/support/tracer_rig.h"

/* The rig has one view beside home: that of the slots from the third on. */
static struct view *second_view(const struct rig *r)
{
	assert_int_equal(r->sources->views.len, 2);
	return r->sources->views.data[1];
}

#define THREAD	STATE_SLOT_FIRST_THREAD
#define PROCESS 77

static uint32_t probe, stopping; /* the second one has exit() and snapshot() */

static struct rig *counting(void)
{
	const struct rig_value key[] = {STR("k"), {0}};
	struct rig *r = rig_new();
	int agg = rig_agg(r, AGG_sum, 0, key);

	probe = rig_probe(r, "prov", "f", "entry");
	probes_enable(&r->probes, probe, rig_clause(r));
	rig_action(r, ACTION_printf, "line\n", NULL, NULL);
	rig_aggregate(r, agg, key, 5, 1);
	rig_end(r);
	stopping = rig_probe(r, "prov", "g", "entry");
	probes_enable(&r->probes, stopping, rig_clause(r));
	rig_emit(r, isa_encode(OP_STOP, 0, 0, 0, 0));
	rig_action(r, ACTION_snapshot, NULL, NULL, NULL);
	rig_end(r);
	rig_options(r, "quiet");
	rig_start(r);
	r->vm[THREAD].pid = PROCESS;
	second_view(r)->pid = PROCESS;
	return r;
}

/* After its end a view gives what it holds, then goes; its aggregations stay. */
static void test_ended_view(void **state)
{
	struct rig *r = counting();
	int sum;

	(void)state;
	for (int i = 0; i < 3; i++)
		rig_fire(r, THREAD, probe);
	rig_fire(r, STATE_SLOT_KEEPER, probe);
	sources_end(r->sources, PROCESS + 1);
	assert_false(second_view(r)->is_ended);
	sources_end(r->sources, PROCESS);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), "line\nline\nline\nline\n");
	assert_int_equal(r->sources->views.len, 1);
	assert_int_equal(consumer_print_aggregations(r->consumer), 0);
	assert_int_equal(sscanf(rig_out(r), " k %d", &sum), 1);
	assert_int_equal(sum, 20);
	rig_free(r);
}

/* Nobody can print more than the memory of an ended view holds. */
static void test_endless_view(void **state)
{
	struct rig *r = counting();
	struct view *v;

	(void)state;
	rig_fire(r, THREAD, probe);
	v = second_view(r);
	sources_find(r->sources);
	sources_end(r->sources, PROCESS);
	assert_true(v->left < UINT64_MAX);
	v->left = 8; /* as if it had no more memory than that */
	for (int i = 0; i < 50; i++)
		rig_fire(r, THREAD, probe);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_pass(r, 0), 0);
	assert_int_equal(r->sources->views.len, 1);
	rig_free(r);
}

/* What fires inside the process. */
static uint32_t fires;

static bool fires_inside(void *ctx, uint32_t pid, const struct probe *p)
{
	(void)ctx;
	return pid == PROCESS && p->id == fires;
}

static void believe(const struct rig *r, uint32_t what_fires, bool full_stops)
{
	const struct requests_config config = {.image = r->image,
					       .probes = &r->probes,
					       .full_stops = full_stops,
					       .fires_inside = fires_inside};

	fires = what_fires;
	requests_release(&r->sources->requests);
	second_view(r)->grants = (struct request_grants){0};
	sources_set_requests(r->sources, &config);
}

/*
 * A stop of a process is seen where a clause that fires there can stop, and is not a stop
 * of the run.
 */
static void test_stopped_view(void **state)
{
	struct rig *r = counting();

	(void)state;
	believe(r, stopping, false);
	assert_false(sources_are_stopped(r->sources));
	state_stop_exchange(second_view(r)->state);
	assert_true(sources_are_stopped(r->sources));
	assert_false(state_is_stopped(r->state));
	believe(r, probe, false);
	assert_false(sources_are_stopped(r->sources));
	believe(r, probe, true);
	assert_true(sources_are_stopped(r->sources));
	believe(r, 0, true);
	assert_false(sources_are_stopped(r->sources));
	rig_free(r);
}

/* Each request has clauses of its own, and home may make all. */
static void test_requests(void **state)
{
	static const enum request all[] = {REQUEST_STOP, REQUEST_SNAPSHOT};
	struct rig *r = counting();
	struct view *v = second_view(r);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		assert_false(sources_believe(r->sources, v, all[i]));
		assert_true(sources_believe(r->sources, r->sources->home, all[i]));
	}
	believe(r, probe, false);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		assert_false(sources_believe(r->sources, v, all[i]));
	fires = stopping; /* no new probe: the answer stays */
	assert_false(sources_believe(r->sources, v, REQUEST_SNAPSHOT));
	rig_probe(r, "prov", "h", "entry");
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		assert_true(sources_believe(r->sources, v, all[i]));
	fires = 0; /* what was believed once stays so */
	assert_true(sources_believe(r->sources, v, REQUEST_SNAPSHOT));
	believe(r, probe, true);
	assert_true(sources_believe(r->sources, v, REQUEST_STOP));
	assert_false(sources_believe(r->sources, v, REQUEST_SNAPSHOT));
	rig_free(r);
}

static int liar;
static char lie[64];
static unsigned nlies;

static void note_lie(void *ctx, int pid, const char *what)
{
	(void)ctx;
	nlies++;
	liar = pid;
	snprintf(lie, sizeof(lie), "%s", what);
}

/* What a counter of a target may say, and what the report is. */
static const struct {
	uint64_t first, second;
	const char *said; /* by the two reports */
	bool is_lie;
} claims[] = {
	{3, 7, "dtrace: 3 dynamic variable drops\ndtrace: 4 dynamic variable drops\n",
	 false},
	{0, 1, "dtrace: 1 dynamic variable drop\n", false},
	{UINT64_MAX, UINT64_MAX, "", true},
	{UINT64_C(1) << 63, 0, "", true},
	{5, 4, "dtrace: 5 dynamic variable drops\n", true},
	{5, UINT64_MAX, "dtrace: 5 dynamic variable drops\n", true},
	{UINT64_MAX, 5, "", true},
};

static void test_claims(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(claims); i++) {
		struct rig *r = counting();
		struct state_drops *d = state_drops(second_view(r)->state, THREAD);

		nlies = 0;
		r->sources->impossible = note_lie;
		rig_fire(r, THREAD, probe);
		sources_find(r->sources);
		rig_catch(r);
		atomic_store(&d->dynvars, claims[i].first);
		consumer_report_drops(r->consumer);
		atomic_store(&d->dynvars, claims[i].second);
		consumer_report_drops(r->consumer);
		/* The others are not believed either. */
		atomic_store(&d->specs, claims[i].is_lie ? 1 : 0);
		consumer_report_drops(r->consumer);
		rig_release(r);
		assert_string_equal(rig_err(r), claims[i].said);
		assert_int_equal(nlies, claims[i].is_lie);
		if (claims[i].is_lie) {
			assert_int_equal(liar, PROCESS);
			assert_string_equal(lie, "dynamic variable drop");
		}
		rig_free(r);
	}
}

/* Counters of dtrace and keeper are no claims; a lie hides nothing of others. */
static void test_claims_beside_others(void **state)
{
	struct rig *r = counting();

	(void)state;
	rig_fire(r, THREAD, probe);
	sources_find(r->sources);
	atomic_store(&state_drops(second_view(r)->state, THREAD)->dynvars, UINT64_MAX);
	atomic_store(&state_drops(second_view(r)->state, THREAD)->stacks, 2);
	atomic_store(&state_drops(r->state, STATE_SLOT_KEEPER)->dynvars, 9);
	atomic_store(&state_drops(r->state, STATE_SLOT_KEEPER)->stacks, 3);
	assert_int_equal(sources_cut_stacks(r->sources), 5);
	rig_catch(r);
	consumer_report_drops(r->consumer);
	rig_release(r);
	assert_string_equal(rig_err(r), "dtrace: 9 dynamic variable drops\n");
	assert_int_equal(sources_cut_stacks(r->sources), 3);
	rig_free(r);
}

/* The same of costs: one of two probes, by a process and by the keeper. */
static const struct {
	struct meter m;
	bool is_possible;
} costs[] = {
	{{.probe = 1, .fired = 1000, .timed = 20, .ns = 2000}, true},
	{{.probe = 1, .fired = 1000}, true},
	{{.probe = 1, .fired = UINT64_MAX, .timed = 1, .ns = 1}, false},
	{{.probe = 1, .fired = 1, .timed = 1, .ns = UINT64_MAX}, false},
	{{.probe = 1, .fired = UINT64_MAX}, false},
	{{.probe = 1, .fired = UINT64_C(1000000000), .timed = 10, .ns = 1000000},
	 false},
};

static void test_costs(void **state)
{
	const uint64_t second = UINT64_C(1000000000);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(costs); i++) {
		struct costs c = {0};

		costs_add(&c, &costs[i].m, COST_JUMP);
		costs_add(&c, &costs[i].m, COST_JUMP);
		costs_settle(&c);
		assert_int_equal(costs_are_possible(&c, 20, second),
				 costs[i].is_possible);
		assert_true(c.list.data[0].of[COST_JUMP].fired >= costs[i].m.fired);
		costs_release(&c);
	}
}

/* Firings that were never measured take the mean of their own process. */
static void test_costs_never_measured(void **state)
{
	const struct meter known = {.probe = 1, .fired = 100, .timed = 10, .ns = 500};
	const struct meter rare = {.probe = 2, .fired = 4};
	struct costs c = {0};

	(void)state;
	costs_add(&c, &known, COST_JUMP);
	costs_add(&c, &rare, COST_JUMP);
	assert_true(cost_ns(&c.list.data[1].of[COST_JUMP], 10) == 4 * 10);
	costs_settle(&c);
	assert_true(cost_ns(&c.list.data[0].of[COST_JUMP], 10) == 100 * 60);
	assert_true(cost_ns(&c.list.data[1].of[COST_JUMP], 10) == 4 * 60);
	costs_release(&c);
}

/* Drops of a view that goes are reported once. */
static void test_drops_of_ended_view(void **state)
{
	struct rig *r = counting();

	(void)state;
	rig_fire(r, THREAD, probe);
	atomic_store(&state_drops(second_view(r)->state, THREAD)->dynvars, 3);
	sources_end(r->sources, PROCESS);
	assert_int_equal(rig_pass(r, 0), 0);
	rig_catch(r);
	consumer_report_drops(r->consumer);
	consumer_report_drops(r->consumer);
	rig_release(r);
	assert_string_equal(rig_err(r), "dtrace: 3 dynamic variable drops\n");
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ended_view),
		cmocka_unit_test(test_endless_view),
		cmocka_unit_test(test_stopped_view),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_claims_beside_others),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_costs_never_measured),
		cmocka_unit_test(test_drops_of_ended_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
