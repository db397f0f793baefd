/* SPDX-License-Identifier: MIT */
/* Firings: predicates, faults and ERROR, stop flags, what lives how long. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"

/* trace(r0) with an 8-byte field; the action of each clause is number 0. */
#define TRACE_R0 I(TUP, 0, 0, 0, 0), I(TPI, 0, 0, 8, 0), I(REC, 0, 0, 0, 0)
#define DONE	 I(END, 0, 0, 0, 0)

static struct builder *builder_with_trace(void)
{
	struct builder *b = builder_new();

	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	return b;
}

#define CLAUSE(b, ...)                                                                 \
	do {                                                                           \
		const insn_t clause_code[] = {__VA_ARGS__};                            \
		build_clause(b, clause_code, ARRAY_LEN(clause_code));                  \
	} while (0)

static uint64_t traced(const struct rig *r)
{
	uint64_t v;

	memcpy(&v, (const char *)rig_body(r) + sizeof(struct record_item), 8);
	return v;
}

static void test_record_header(void **state)
{
	struct builder *b = builder_with_trace();
	const struct record *record;
	struct rig *r;

	(void)state;
	CLAUSE(b, I(LI, 0, 0, 0, 1), DONE); /* records nothing */
	CLAUSE(b, I(BI, 0, 0, 0, BUILTIN_timestamp), TRACE_R0, DONE);
	CLAUSE(b, I(RECE, 0, 0, 0, 0), DONE);
	r = rig_new(b);
	r->world.clock = 500;
	rig_fire(r);
	record = rig_record(r);
	assert_non_null(record);
	assert_int_equal(record->kind, RECORD_DATA);
	assert_int_equal(record->size,
			 sizeof(*record) + sizeof(struct record_item) + 8);
	assert_int_equal(record->probe, 7);
	assert_int_equal(record->clause, 1);
	assert_int_equal(record->epid, 2);
	assert_int_equal(record->cpu, 3);
	assert_int_equal(record->pid, 42);
	assert_int_equal(record->tid, 43);
	assert_int_equal(record->time, 501);
	assert_int_equal(traced(r), 501);
	record = rig_record(r);
	assert_int_equal(record->clause, 2);
	assert_int_equal(record->size, sizeof(*record));
	assert_int_equal(record->time, 501); /* the same firing */
	assert_null(rig_record(r));
	rig_fire(r);
	assert_int_equal(rig_record(r)->time, 502);
	rig_free(r);
}

/* A clause that records nothing does not even read the clock. */
static void test_environment_is_asked_once(void **state)
{
	struct builder *b = builder_with_trace();
	struct rig *r;

	(void)state;
	CLAUSE(b, I(BI, 0, 0, 0, BUILTIN_arg0), DONE);
	r = rig_new(b);
	rig_fire(r);
	assert_int_equal(r->world.nreads, 0);
	rig_free(r);
	b = builder_with_trace();
	CLAUSE(b, I(BI, 0, 0, 0, BUILTIN_pid), I(BI, 0, 0, 0, BUILTIN_pid), DONE);
	CLAUSE(b, I(BI, 0, 0, 0, BUILTIN_pid), I(BI, 0, 0, 0, BUILTIN_execname),
	       I(BI, 0, 0, 0, BUILTIN_execname), DONE);
	r = rig_new(b);
	rig_fire(r);
	assert_int_equal(r->world.nreads, 2);
	rig_free(r);
}

static void test_predicate(void **state)
{
	struct builder *b = builder_with_trace();
	struct rig *r;

	(void)state;
	CLAUSE(b, I(BI, 0, 0, 0, BUILTIN_arg1), I(JZ, 0, 0, 0, 3), TRACE_R0, DONE);
	r = rig_new(b);
	rig_fire(r);
	assert_null(rig_record(r));
	r->world.args[1] = 9;
	rig_fire(r);
	assert_non_null(rig_record(r));
	assert_int_equal(traced(r), 9);
	rig_free(r);
}

/* The clause's record goes, its stores stay, the others run. */
static void test_fault(void **state)
{
	struct builder *b = builder_with_trace();
	uint32_t global = build_var(b, SCOPE_GLOBAL, field_int(8, false), 0);
	const struct record_fault *fault;
	const struct record *record;
	struct rig *r;

	(void)state;
	CLAUSE(b, I(LI, 0, 0, 0, 5), I(STG, 0, 0, 0, global), TRACE_R0,
	       I(LI, 1, 0, 0, 24), I(LD, 2, 1, 8, 0), TRACE_R0, DONE);
	build_stmt(b, 0, 0);
	build_stmt(b, 2, 1);
	build_stmt(b, 5, 2);
	build_stmt(b, 7, 3);
	CLAUSE(b, I(LDG, 0, 0, 0, global), TRACE_R0, DONE);
	r = rig_new(b);
	rig_fire(r);
	record = rig_record(r);
	fault = rig_body(r);
	assert_int_equal(record->kind, RECORD_FAULT);
	assert_int_equal(record->epid, 1);
	assert_int_equal(record->size, sizeof(*record) + sizeof(*fault));
	assert_int_equal(fault->action, 2);
	assert_int_equal(fault->insn, 6);
	assert_int_equal(fault->fault, FAULT_BADADDR);
	assert_int_equal(fault->address, 24);
	record = rig_record(r);
	assert_int_equal(record->kind, RECORD_DATA);
	assert_int_equal(record->clause, 1);
	assert_int_equal(traced(r), 5);
	assert_null(rig_record(r));
	rig_free(r);
}

static void test_fault_in_predicate(void **state)
{
	struct builder *b = builder_with_trace();
	const struct record_fault *fault;
	struct rig *r;

	(void)state;
	CLAUSE(b, I(LI, 0, 0, 0, 0), I(LI, 1, 0, 0, 1), I(DIVU, 0, 1, 0, 0), TRACE_R0,
	       DONE);
	build_stmt(b, 0, 0);
	build_stmt(b, 3, 1);
	r = rig_new(b);
	rig_fire(r);
	rig_record(r);
	fault = rig_body(r);
	assert_int_equal(fault->action, 0);
	assert_int_equal(fault->insn, 2);
	assert_int_equal(fault->fault, FAULT_DIVZERO);
	assert_int_equal(fault->address, 0);
	rig_free(r);
}

/* Clause 1 is ERROR's: it traces one of its arguments. */
static uint64_t error_value(enum builtin id)
{
	struct builder *b = builder_with_trace();
	uint64_t value;
	struct rig *r;

	CLAUSE(b, I(BI, 0, 0, 0, BUILTIN_arg3), I(LI, 1, 0, 0, 40), I(LD, 2, 1, 8, 8),
	       DONE);
	build_stmt(b, 0, 0);
	build_stmt(b, 1, 1);
	CLAUSE(b, I(BI, 0, 0, 0, id), TRACE_R0, DONE);
	r = rig_new(b);
	r->probe.nenablings = 1;
	r->error.first_enabling = 1;
	r->error.nenablings = 1;
	r->vm.error = &r->error;
	for (uint32_t i = 0; i < 10; i++)
		r->world.args[i] = 1000 + i;
	rig_fire(r);
	assert_int_equal(rig_record(r)->kind, RECORD_FAULT);
	assert_int_equal(rig_record(r)->probe, 3);
	assert_int_equal(r->buf.record.epid, 2);
	value = traced(r);
	assert_null(rig_record(r));
	rig_free(r);
	return value;
}

static void test_error_arguments(void **state)
{
	static const struct {
		enum builtin id;
		uint64_t value;
	} cases[] = {
		{BUILTIN_arg0, 0},
		{BUILTIN_arg1, 1},
		{BUILTIN_arg2, 1},
		{BUILTIN_arg3, 2},
		{BUILTIN_arg4, FAULT_BADADDR},
		{BUILTIN_arg5, 48},
		{BUILTIN_arg6, 0},
		{BUILTIN_arg9, 0},
		{BUILTIN_id, 3},
		{BUILTIN_epid, 2},
		{BUILTIN_probename, VM_ADDR_NAMES + 27},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(error_value(cases[i].id), cases[i].value);
}

/* A fault inside ERROR is counted, and neither recorded nor recursed into. */
static void test_fault_in_error(void **state)
{
	struct builder *b = builder_with_trace();
	struct rig *r;

	(void)state;
	CLAUSE(b, I(LI, 1, 0, 0, 0), I(LD, 2, 1, 8, 0), DONE);
	CLAUSE(b, I(LI, 1, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(TPI, 1, 0, 8, 0),
	       I(REC, 0, 0, 0, 0), I(LD, 2, 1, 8, 0), DONE);
	CLAUSE(b, I(LI, 0, 0, 0, 6), TRACE_R0, DONE);
	r = rig_new(b);
	r->probe.nenablings = 1;
	r->error.first_enabling = 1;
	r->error.nenablings = 2;
	r->vm.error = &r->error;
	rig_fire(r);
	assert_int_equal(rig_record(r)->kind, RECORD_FAULT);
	assert_int_equal(rig_record(r)->clause, 2);
	assert_null(rig_record(r));
	assert_int_equal(state_drops(r->state, r->vm.slot)->errors, 1);
	rig_free(r);
}

/* this-> and scratch of the faulting firing outlive ERROR's own. */
static void test_error_leaves_firing_alone(void **state)
{
	struct builder *b = builder_with_trace();
	uint32_t number = build_var(b, SCOPE_THIS, field_int(8, false), 0);
	uint32_t text = build_var(b, SCOPE_THIS, field_string(256), 0);
	uint32_t base = build_constant(b, WORLD_BASE);
	struct rig *r;

	(void)state;
	CLAUSE(b, I(LI, 0, 0, 0, 5), I(STT, 0, 0, 0, number), I(LC, 1, 0, 0, base),
	       I(CALL, 2, 1, 1, SUBR_copyinstr), I(STT, 2, 0, 0, text),
	       I(LI, 3, 0, 0, 0), I(DIVS, 3, 0, 3, 0), DONE);
	CLAUSE(b, I(LDT, 0, 0, 0, number), TRACE_R0, I(LDT, 1, 0, 0, text),
	       I(LD, 0, 1, 1, 0), TRACE_R0, DONE);
	CLAUSE(b, I(LDT, 0, 0, 0, number), TRACE_R0, I(LI, 0, 0, 0, 9),
	       I(STT, 0, 0, 0, number), I(LC, 1, 0, 0, base), I(ADDI, 1, 1, 0, 1),
	       I(CALL, 2, 1, 1, SUBR_copyinstr), DONE);
	r = rig_new(b);
	strcpy(r->world.memory, "xyz");
	r->probe.nenablings = 2;
	r->error.first_enabling = 2;
	r->error.nenablings = 1;
	r->vm.error = &r->error;
	for (int i = 0; i < 2; i++) {
		rig_fire(r);
		assert_int_equal(rig_record(r)->kind, RECORD_FAULT);
		assert_int_equal(rig_record(r)->clause, 2);
		assert_int_equal(traced(r), 0); /* ERROR's own, zeroed each time */
		assert_int_equal(rig_record(r)->clause, 1);
		assert_int_equal(traced(r), 5);
		assert_int_equal(r->buf.bytes[sizeof(struct record) + 24], 'x');
	}
	rig_free(r);
}

static void test_this_is_zeroed(void **state)
{
	struct builder *b = builder_with_trace();
	uint32_t v = build_var(b, SCOPE_THIS, field_int(8, false), 0);
	struct rig *r;

	(void)state;
	CLAUSE(b, I(LDT, 0, 0, 0, v), TRACE_R0, I(LI, 0, 0, 0, 4), I(STT, 0, 0, 0, v),
	       DONE);
	CLAUSE(b, I(LDT, 0, 0, 0, v), TRACE_R0, DONE);
	r = rig_new(b);
	for (int i = 0; i < 2; i++) {
		rig_fire(r);
		rig_record(r);
		assert_int_equal(traced(r), 0);
		rig_record(r);
		assert_int_equal(traced(r), 4);
	}
	rig_free(r);
}

static unsigned count_records(struct rig *r)
{
	unsigned n = 0;

	while (rig_record(r))
		n++;
	return n;
}

/* Two clauses, the first calls exit(). */
static void test_stop_flag(void **state)
{
	static const struct {
		enum vm_fire_flag flag;
		bool is_stopped_before;
		unsigned records;
	} cases[] = {
		{VM_FIRE_NORMAL, false, 1}, {VM_FIRE_NORMAL, true, 0},
		{VM_FIRE_BEGIN, false, 1},  {VM_FIRE_BEGIN, true, 0},
		{VM_FIRE_END, false, 1},    {VM_FIRE_END, true, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_with_trace();
		struct rig *r;

		CLAUSE(b, I(LI, 0, 0, 0, 1), TRACE_R0, I(STOP, 0, 0, 0, 0), DONE);
		CLAUSE(b, I(LI, 0, 0, 0, 2), TRACE_R0, DONE);
		r = rig_new(b);
		if (cases[i].is_stopped_before)
			state_stop(r->state);
		vm_fire(&r->vm, &r->probe, cases[i].flag);
		assert_int_equal(count_records(r), cases[i].records);
		assert_true(state_is_stopped(r->state));
		rig_free(r);
	}
}

/* A state made for something smaller, or a slot it lacks: nothing runs. */
static void test_foreign_state(void **state)
{
	static const struct {
		uint32_t globals, locals, naggs, slot;
		unsigned records;
	} cases[] = {
		{8, 1, 1, 1, 1}, {0, 1, 1, 1, 0}, {8, 0, 1, 1, 0},
		{8, 1, 0, 1, 0}, {8, 1, 1, 4, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_with_trace();
		struct state_config c;
		struct rig *r;
		size_t size;
		void *image;

		build_var(b, SCOPE_GLOBAL, field_int(8, false), 0);
		build_var(b, SCOPE_THIS, field_int(8, false), 0);
		build_agg(b, AGG_count, 0, 1, 0);
		CLAUSE(b, I(LI, 0, 0, 0, 1), TRACE_R0, DONE);
		image = build_image(b, &size);
		c = rig_config(image);
		c.globals = cases[i].globals;
		c.locals = cases[i].locals;
		c.naggs = cases[i].naggs;
		r = rig_with(image, size, &c);
		r->vm.slot = cases[i].slot;
		rig_fire(r);
		r->vm.slot = 1;
		assert_int_equal(count_records(r), cases[i].records);
		rig_free(r);
	}
}

/* With one CPU chosen others do not count, except for the front's own probes. */
static void test_only_cpu(void **state)
{
	static const struct {
		uint32_t only; /* number + 1 */
		enum exec_context context;
		unsigned records;
	} cases[] = {
		{0, CONTEXT_KEEPER, 1},	  {4, CONTEXT_KEEPER, 1},
		{3, CONTEXT_KEEPER, 0},	  {3, CONTEXT_FRONT, 1},
		{3, CONTEXT_RESIDENT, 0}, {4, CONTEXT_RESIDENT, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_with_trace();
		struct state_config c;
		struct rig *r;
		size_t size;
		void *image;

		CLAUSE(b, I(LI, 0, 0, 0, 1), TRACE_R0, DONE);
		image = build_image(b, &size);
		c = rig_config(image);
		c.only_cpu = cases[i].only;
		r = rig_with(image, size, &c);
		r->vm.context = cases[i].context;
		rig_fire(r);
		assert_int_equal(count_records(r), cases[i].records);
		rig_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_header),
		cmocka_unit_test(test_environment_is_asked_once),
		cmocka_unit_test(test_predicate),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_fault_in_predicate),
		cmocka_unit_test(test_error_arguments),
		cmocka_unit_test(test_fault_in_error),
		cmocka_unit_test(test_error_leaves_firing_alone),
		cmocka_unit_test(test_this_is_zeroed),
		cmocka_unit_test(test_stop_flag),
		cmocka_unit_test(test_foreign_state),
		cmocka_unit_test(test_only_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
