/* SPDX-License-Identifier: MIT */
/* Memory for records: what one process uses up, another one has. */
#include "tests/unit/support/tracer_rig.h"

#include "tracer/records/merge.h"

#define THREAD	STATE_SLOT_FIRST_THREAD
#define PROCESS 77

/* Records of home and of one process wait to be read. */
static void fire_both(struct rig *r)
{
	uint32_t probe = rig_probe(r, "prov", "f", "entry");

	probes_enable(&r->probes, probe, rig_clause(r));
	rig_action(r, ACTION_printf, "line\n", NULL, NULL);
	rig_end(r);
	rig_start(r);
	r->vm[THREAD].pid = PROCESS;
	r->sources->views.data[1]->pid = PROCESS;
	rig_fire(r, STATE_SLOT_KEEPER, probe);
	rig_fire(r, THREAD, probe);
	sources_find(r->sources);
}

static void test_share(void **state)
{
	struct rig *r = rig_new();
	struct record_check_config config = {.probes = &r->probes};
	struct record_check *check;
	struct merge m;
	struct stage *flood;

	(void)state;
	fire_both(r);
	config.image = r->image;
	check = record_check_new(&config);
	merge_init(&m, r->sources, check);
	/* as if all memory were used up, by the process */
	m.staged = STAGE_MAX;
	flood = &r->sources->views.data[1]->sources.data[THREAD]->stage;
	flood->len = STAGE_RESERVE;
	merge_fill(&m);
	assert_int_equal(m.heap.len, 1);
	assert_int_equal(merge_source(&m)->slot, STATE_SLOT_KEEPER);
	flood->len = 0;
	merge_fill(&m);
	assert_int_equal(m.heap.len, 2);
	merge_release(&m);
	record_check_free(check);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
