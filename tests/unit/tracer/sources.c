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

static uint32_t probe;

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

/* A stop of a process is seen, and is not a stop of the run. */
static void test_stopped_view(void **state)
{
	struct rig *r = counting();

	(void)state;
	assert_false(sources_are_stopped(r->sources));
	state_stop_exchange(second_view(r)->state);
	assert_true(sources_are_stopped(r->sources));
	assert_false(state_is_stopped(r->state));
	rig_free(r);
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
		cmocka_unit_test(test_drops_of_ended_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
