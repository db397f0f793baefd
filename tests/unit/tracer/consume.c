/* SPDX-License-Identifier: MIT */
/* Lines, order, faults, exit and drops. */
#include "tests/unit/support/tracer_rig.h"

#include <errno.h>
#include <fcntl.h>

#define HEADER	     "CPU     ID                    FUNCTION:NAME\n"
#define BEGIN_PREFIX "  0      1                           :BEGIN "

/* A clause of the probe that prints text. */
static void add_printf(struct rig *r, uint32_t probe, const char *text)
{
	probes_enable(&r->probes, probe, rig_clause(r));
	rig_action(r, ACTION_printf, text, NULL, NULL);
	rig_end(r);
}

static void add_empty(struct rig *r, uint32_t probe)
{
	probes_enable(&r->probes, probe, rig_clause(r));
	rig_empty(r);
	rig_end(r);
}

/* An empty clause, one that records nothing, exit() and data: what prints a line. */
static void test_lines(void **state)
{
	static const struct {
		const char *options, *expected;
	} cases[] = {
		{"", HEADER BEGIN_PREFIX "\n" BEGIN_PREFIX "hi\n\n" BEGIN_PREFIX
					 "       42\n"},
		{"quiet", "hi\n42"},
		{"flowindent",
		 "CPU FUNCTION                                 \n"
		 "  0 | :BEGIN                                  \n"
		 "  0 | :BEGIN                                  hi\n\n"
		 "  0 | :BEGIN                                         42\n"},
		{"flowindent quiet",
		 "CPU FUNCTION                                 \n"
		 "  0 | :BEGIN                                  "
		 "  0 | :BEGIN                                  hi\n"
		 "  0 | :BEGIN                                  42"},
	};
	const struct rig_value value[] = {INT(4, 42), {0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_new();

		add_empty(r, PROBE_BEGIN);
		probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
		rig_load(r, 1, 1);
		rig_end(r);
		add_printf(r, PROBE_BEGIN, "hi\n");
		probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
		rig_action(r, ACTION_trace, NULL, value, NULL);
		rig_exit(r, 0);
		rig_end(r);
		rig_options(r, cases[i].options);
		rig_start(r);
		rig_fire(r, 0, PROBE_BEGIN);
		assert_int_equal(rig_pass(r, 0), 0);
		assert_string_equal(rig_out(r), cases[i].expected);
		assert_int_equal(rig_pass(r, 0), 0);
		assert_string_equal(rig_out(r), "");
		assert_string_equal(rig_err(r), "");
		rig_free(r);
	}
}

/* Names longer than their column are not cut; the CPU is that of the record. */
static void test_prefix(void **state)
{
	struct rig *r = rig_new();
	uint32_t probe =
		rig_probe(r, "pid7", "a_function_with_a_very_long_name", "entry");

	(void)state;
	add_empty(r, probe);
	rig_start(r);
	r->vm[1].cpu = 13;
	rig_fire(r, 1, probe);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), HEADER
			    " 13      4 a_function_with_a_very_long_name:entry \n");
	rig_free(r);
}

struct flow_step {
	int probe; /* index in the table below */
	const char *line;
};

/* main calls f, f calls g twice; then a system call and a probe of another name. */
static void test_flow(void **state)
{
	static const struct {
		const char *provider, *function, *name;
	} names[] = {
		{"pid7", "main", "entry"},     {"pid7", "main", "return"},
		{"pid7", "f", "entry"},	       {"pid7", "f", "return"},
		{"syscall", "read", "entry"},  {"syscall", "read", "return"},
		{"usdt", "mod", "call-entry"}, {"usdt", "mod", "call-return"},
		{"usdt", "mod", "carpentry"},
	};
	static const struct flow_step steps[] = {
		{0, "  0  -> main                                  \n"},
		{2, "  0    -> f                                   \n"},
		{4, "  0      => read                              \n"},
		{5, "  0      <= read                              \n"},
		{8, "  0     | mod:carpentry                       \n"},
		{2, "  0      -> f                                 \n"},
		{3, "  0      <- f                                 \n"},
		{3, "  0    <- f                                   \n"},
		{6, "  0    -> mod                                 \n"},
		{7, "  0    <- mod                                 \n"},
		{1, "  0  <- main                                  \n"},
		{1, "  0  <- main                                  \n"},
	};
	struct rig *r = rig_new();
	uint32_t ids[ARRAY_LEN(names)];
	char expected[1024] = "CPU FUNCTION                                 \n";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		ids[i] = rig_probe(r, names[i].provider, names[i].function,
				   names[i].name);
		add_empty(r, ids[i]);
	}
	rig_options(r, "flowindent");
	rig_start(r);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		rig_fire(r, 1, ids[steps[i].probe]);
		strcat(expected, steps[i].line);
	}
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), expected);
	rig_free(r);
}

/* Two clauses of one firing: the first is the entry, the last the return. */
static void test_flow_clauses(void **state)
{
	struct rig *r = rig_new();
	uint32_t entry = rig_probe(r, "pid7", "f", "entry");
	uint32_t ret = rig_probe(r, "pid7", "f", "return");

	(void)state;
	for (int i = 0; i < 2; i++) {
		add_empty(r, entry);
		add_empty(r, ret);
	}
	rig_options(r, "flowindent");
	rig_start(r);
	rig_fire(r, 1, entry);
	rig_fire(r, 1, ret);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r),
			    "CPU FUNCTION                                 \n"
			    "  0  -> f                                     \n"
			    "  0   | f:entry                               \n"
			    "  0   | f:return                              \n"
			    "  0  <- f                                     \n");
	rig_free(r);
}

/* Records of several slots come out by time, and no later than asked for. */
static void test_order(void **state)
{
	static const uint32_t slots[] = {2, 0, 1, 1, 2, 0, 0, 2};
	struct rig *r = rig_new();
	uint32_t probes[RIG_SLOTS];

	(void)state;
	for (uint32_t slot = 0; slot < RIG_SLOTS; slot++) {
		char name[16], text[16];

		snprintf(name, sizeof(name), "p%u", slot);
		snprintf(text, sizeof(text), "%u", slot);
		probes[slot] = rig_probe(r, "t", "", name);
		add_printf(r, probes[slot], text);
	}
	rig_options(r, "quiet");
	rig_start(r);
	for (size_t i = 0; i < ARRAY_LEN(slots); i++)
		rig_fire(r, slots[i], probes[slots[i]]);
	assert_int_equal(rig_pass(r, 5), 0);
	assert_string_equal(rig_out(r), "20112");
	assert_int_equal(rig_pass(r, 5), 0);
	assert_string_equal(rig_out(r), "");
	rig_fire(r, 1, probes[1]);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), "0021");
	rig_free(r);
}

/* A fault is reported on stderr and its clause prints nothing; the others do. */
static void test_fault(void **state)
{
	struct rig *r = rig_new();
	const char *err;

	(void)state;
	add_printf(r, PROBE_BEGIN, "before\n");
	probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
	rig_action(r, ACTION_printf, "lost\n", NULL, NULL);
	rig_fault(r);
	rig_end(r);
	add_printf(r, PROBE_BEGIN, "after\n");
	rig_options(r, "quiet");
	rig_start(r);
	rig_fire(r, 0, PROBE_BEGIN);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), "before\nafter\n");
	err = rig_err(r);
	assert_string_equal(
		err, "dtrace: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): "
		     "invalid address (0x0) in action #2 at DIF offset 3\n");
	rig_free(r);
}

/* A division by zero in the predicate: no address, no action. */
static void test_fault_in_predicate(void **state)
{
	struct rig *r = rig_new();
	uint32_t probe = rig_probe(r, "pid9", "f", "entry");

	(void)state;
	probes_enable(&r->probes, probe, rig_clause(r));
	rig_load(r, 1, 0);
	rig_emit(r, isa_encode(OP_DIVS, 2, 1, 1, 0));
	rig_empty(r);
	rig_end(r);
	rig_start(r);
	rig_fire(r, 1, probe);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), "");
	assert_string_equal(
		rig_err(r),
		"dtrace: error on enabled probe ID 1 (ID 4: pid9:mod:f:entry): "
		"divide-by-zero in predicate at DIF offset 1\n");
	rig_free(r);
}

static void test_exit(void **state)
{
	static const struct {
		int begin, end; /* -1: none */
		bool has_status;
		int expected;
	} cases[] = {
		{-1, -1, false, 0}, {3, -1, true, 3}, {1, 4, true, 4},
		{-1, 7, true, 7},   {0, -1, true, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_new();
		int status = 0;

		probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
		if (cases[i].begin >= 0) {
			rig_exit(r, cases[i].begin);
			rig_exit(r, 99); /* the first one counts */
		}
		rig_end(r);
		probes_enable(&r->probes, PROBE_END, rig_clause(r));
		if (cases[i].end >= 0)
			rig_exit(r, cases[i].end);
		rig_end(r);
		rig_start(r);
		rig_fire(r, 0, PROBE_BEGIN);
		assert_int_equal(rig_pass(r, 0), 0);
		rig_fire(r, 0, PROBE_END);
		assert_int_equal(rig_pass(r, 0), 0);
		assert_int_equal(consumer_exit_status(r->consumer, &status),
				 cases[i].has_status);
		assert_int_equal(status, cases[i].expected);
		rig_free(r);
	}
}

static const char *drops(struct rig *r)
{
	rig_catch(r);
	consumer_report_drops(r->consumer);
	rig_release(r);
	return rig_err(r);
}

/* Differences since the last report, s only for more than one. */
static void test_drops(void **state)
{
	struct rig *r = rig_new();

	(void)state;
	add_empty(r, PROBE_BEGIN);
	rig_start(r);
	assert_string_equal(drops(r), "");
	r->vm[1].cpu = 1;
	rig_fire(r, 1, PROBE_BEGIN);
	assert_int_equal(rig_pass(r, 0), 0);
	atomic_store(&state_drops(r->state, 0)->records, 1);
	atomic_store(&state_drops(r->state, 1)->records, 2);
	atomic_store(&state_drops(r->state, 1)->aggs, 3);
	atomic_store(&state_drops(r->state, 0)->dynvars, 1);
	atomic_store(&state_drops(r->state, 1)->dynvars, 1);
	atomic_store(&state_drops(r->state, 1)->errors, 1);
	assert_string_equal(drops(r), "dtrace: 1 drop on CPU 0\n"
				      "dtrace: 2 drops on CPU 1\n"
				      "dtrace: 3 aggregation drops on CPU 1\n"
				      "dtrace: 2 dynamic variable drops\n"
				      "dtrace: 1 error in ERROR probe enabling\n");
	assert_string_equal(drops(r), "");
	rig_options(r, "droptags");
	atomic_store(&state_drops(r->state, 0)->records, 3);
	atomic_store(&state_drops(r->state, 0)->aggs, 1);
	atomic_store(&state_drops(r->state, 0)->dynvars, 2);
	atomic_store(&state_drops(r->state, 0)->errors, 2);
	assert_string_equal(
		drops(r),
		"dtrace: [DTRACEDROP_PRINCIPAL] 2 drops on CPU 0\n"
		"dtrace: [DTRACEDROP_AGGREGATION] 1 aggregation drop on CPU 0\n"
		"dtrace: [DTRACEDROP_DYNAMIC] 1 dynamic variable drop\n"
		"dtrace: [DTRACEDROP_DBLERROR] 2 errors in ERROR probe enabling\n");
	rig_free(r);
}

/* A buffer too small for all records: what fits is printed, the rest counted. */
static void test_full_buffer(void **state)
{
	struct rig *r = rig_new();
	const char *out;
	unsigned lines = 0, dropped = 0;

	(void)state;
	add_printf(r, PROBE_BEGIN, "x");
	rig_options(r, "quiet");
	r->bufsize = 4096;
	rig_start(r);
	for (int i = 0; i < 5000; i++)
		rig_fire(r, 0, PROBE_BEGIN);
	assert_int_equal(rig_pass(r, 0), 0);
	out = rig_out(r);
	lines = (unsigned)strlen(out);
	assert_in_range(lines, 1, 4999);
	assert_int_equal(sscanf(drops(r), "dtrace: %u drops on CPU 0\n", &dropped), 1);
	assert_int_equal(lines + dropped, 5000);
	rig_free(r);
}

/* A full disk is reported once, with its reason, and ends the pass. */
static void test_output_error(void **state)
{
	struct rig *r = rig_new();
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(full >= 0);
	add_printf(r, PROBE_BEGIN, "text");
	rig_start(r);
	r->out->fd = full;
	rig_fire(r, 0, PROBE_BEGIN);
	assert_int_equal(rig_pass(r, 0), STATUS_IO);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(rig_pass(r, 0), STATUS_IO);
	assert_int_equal(consumer_print_aggregations(r->consumer), STATUS_IO);
	close(full);
	rig_free(r);
}

/* Many more records than any buffer: nothing is lost when they are consumed in time. */
static void test_many(void **state)
{
	const struct rig_value value[] = {INT(4, 7), {0}};
	struct rig *r = rig_new();
	size_t total = 0;

	(void)state;
	probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
	rig_action(r, ACTION_printf, "%d\n", value, NULL);
	rig_end(r);
	rig_options(r, "quiet");
	rig_start(r);
	for (int turn = 0; turn < 50; turn++) {
		for (int i = 0; i < 1000; i++)
			rig_fire(r, (uint32_t)i % RIG_SLOTS, PROBE_BEGIN);
		assert_int_equal(rig_pass(r, 0), 0);
		total += strlen(rig_out(r));
	}
	assert_int_equal(total, 50 * 1000 * 2);
	assert_string_equal(drops(r), "");
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_flow_clauses),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_fault_in_predicate),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_full_buffer),
		cmocka_unit_test(test_output_error),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
