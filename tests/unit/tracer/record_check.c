/* SPDX-License-Identifier: MIT */
/* Which records are believed, by the slot that they come from. */
#include "tests/unit/support/tracer_rig.h"
#include "tracer/providers/prov_dtrace.h"
#include "tracer/providers/prov_pid.h"
#include "tracer/trust/record_check.h"

#define TARGET 7
#define OTHER  8
#define NOW    1000

/* The clauses of the program below. */
enum {
	PLAIN,	   /* fpid f: a number, then a stack */
	CHOICE,	   /* fpid f: if (...) action; then an action */
	TICK,	   /* in dtrace: system() */
	KEEPER,	   /* fpid f, but resident code cannot run it: exit() */
	SPECULATE, /* fpid f: speculate(), a number, commit() */
	PID,	   /* a breakpoint's */
	ERROR,	   /* dtrace:::ERROR */
	EMPTY,	   /* fpid f, without statements */
	ABSENT,	   /* fpid g, which has no jump in the process */
	DISCARD,   /* fpid f: discard(), nothing recorded */
	FAULTY,	   /* fpid f: a number, then what faults at instruction 5 */
};

/* Their actions, and those that follow in the same clause. */
enum {
	PLAIN_NUMBER,
	PLAIN_STACK,
	CHOICE_FIRST,
	CHOICE_SECOND,
	TICK_SYSTEM,
	KEEPER_EXIT,
	SPECULATE_NUMBER,
	PID_NUMBER,
	ERROR_NUMBER,
	ABSENT_NUMBER,
	FAULTY_NUMBER,
	NONE = -1,
};

static const struct rig_value number[] = {INT(4, 1), {0}};

struct fixture {
	struct rig *rig;
	uint32_t probe[3]; /* fpid f, pid f, fpid g */
	struct record_check *check;
};

static void call(struct rig *r, enum subr subr)
{
	rig_load(r, 1, 1);
	rig_emit(r, isa_encode(OP_CALL, 1, 1, 1, (int32_t)subr));
}

static void begin_clause(struct fixture *f, uint32_t probe)
{
	probes_enable(&f->rig->probes, probe, rig_clause(f->rig));
}

static void add_number(struct fixture *f, uint32_t probe)
{
	begin_clause(f, probe);
	rig_action(f->rig, ACTION_trace, NULL, number, NULL);
	rig_end(f->rig);
}

static void add_plain(struct fixture *f)
{
	const struct rig_value stack[] = {BYTES(24, "012345670123456701234567"), {0}};
	struct rig *r = f->rig;

	begin_clause(f, f->probe[0]);
	rig_action(r, ACTION_trace, NULL, number, NULL);
	rig_action(r, ACTION_trace, NULL, stack, NULL);
	r->fields[r->nfields - 1].show = SHOW_USTACK;
	rig_end(r);
}

static void add_choice(struct fixture *f)
{
	struct rig *r = f->rig;

	begin_clause(f, f->probe[0]);
	rig_load(r, 1, 1);
	rig_emit(r, isa_encode(OP_JZ, 1, 0, 0, 2));
	rig_action(r, ACTION_printf, "first", NULL, NULL);
	rig_action(r, ACTION_printf, "second", NULL, NULL);
	rig_end(r);
}

static void add_speculation(struct fixture *f)
{
	struct rig *r = f->rig;

	begin_clause(f, f->probe[0]);
	call(r, SUBR_speculate);
	rig_action(r, ACTION_trace, NULL, number, NULL);
	call(r, SUBR_commit);
	rig_end(r);
}

static void add_system(struct fixture *f)
{
	const struct rig_value text[] = {STR("id"), {0}};

	begin_clause(f, PROBE_END);
	rig_action(f->rig, ACTION_system, "%s", text, NULL);
	rig_end(f->rig);
}

static void add_rest(struct fixture *f)
{
	struct rig *r = f->rig;

	begin_clause(f, f->probe[0]);
	rig_exit(r, 3);
	r->clauses[KEEPER].contexts = CONTEXT_KEEPER;
	rig_end(r);
	add_speculation(f);
	add_number(f, f->probe[1]);
	add_number(f, PROBE_ERROR);
	begin_clause(f, f->probe[0]);
	rig_empty(r);
	rig_end(r);
	add_number(f, f->probe[2]);
	begin_clause(f, f->probe[0]);
	call(r, SUBR_discard);
	rig_end(r);
	begin_clause(f, f->probe[0]);
	rig_action(r, ACTION_trace, NULL, number, NULL);
	rig_fault(r);
	rig_end(r);
}

/* Of f every clause may run in the target; g has breakpoints only. */
static bool fires_inside(void *ctx, uint32_t pid, const struct probe *p)
{
	const struct fixture *f = ctx;

	return pid == TARGET && p->id != f->probe[2];
}

static uint64_t now(void *ctx)
{
	(void)ctx;
	return NOW;
}

static struct fixture fixture_new(struct fixture *f)
{
	struct record_check_config config = {
		.fires_inside = fires_inside, .now = now, .ctx = f};
	struct rig *r = f->rig = rig_new();

	f->probe[0] = rig_probe(r, "fpid7", "f", "entry");
	f->probe[1] = rig_probe(r, "pid7", "f", "entry");
	f->probe[2] = rig_probe(r, "fpid7", "g", "entry");
	for (uint32_t id = PROBE_BEGIN; id <= PROBE_ERROR; id++)
		probes_get(&r->probes, id)->provider = &prov_dtrace;
	for (int i = 0; i < 3; i++)
		probes_get(&r->probes, f->probe[i])->provider =
			i == 1 ? &prov_pid : &prov_fpid;
	add_plain(f);
	add_choice(f);
	add_system(f);
	add_rest(f);
	rig_start(r);
	config.image = r->image;
	config.probes = &r->probes;
	f->check = record_check_new(&config);
	return *f;
}

static void fixture_free(struct fixture *f)
{
	record_check_free(f->check);
	rig_free(f->rig);
}

/* ---- forging ---- */

struct forged {
	struct record r;
	unsigned char body[512];
};

static void put(struct forged *f, const void *p, size_t n)
{
	memcpy((unsigned char *)f + f->r.size, p, n);
	f->r.size += (uint32_t)n;
}

/* The item of an action: a number, an empty string, or a stack of the process. */
static void put_item(struct forged *f, const void *image, uint32_t action, uint32_t pid)
{
	const struct program_action *a = program_action(image, action);
	struct record_item item = {.action = action};
	unsigned char payload[64] = {0};

	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *field =
			program_field(image, a->first_field + i);
		const uint64_t word = pid;

		assert_true(item.size == 0);
		item.size = 8;
		if (field->kind != KIND_BYTES)
			continue;
		memcpy(payload, &field->size, sizeof(field->size));
		memcpy(payload + 4, &word, sizeof(word));
		item.size = (uint32_t)align_up(4 + field->size, 8);
	}
	put(f, &item, sizeof(item));
	put(f, payload, item.size);
}

/* A record, by default one that resident code of the target writes. */
struct sample {
	const char *what;
	uint32_t clause;
	int items[5]; /* NONE ends */
	bool is_accepted;
	enum exec_context context; /* 0: resident code */
	enum record_kind kind;	   /* 0: data */
	uint64_t spec;
	uint32_t pid, tid; /* 0: the target; the thread that owns the slot */
	uint32_t stack_pid;
	uint32_t probe; /* 0: the one that has the clause */
	uint32_t epid;	/* the same */
	uint16_t cpu;
	struct record_fault fault;
};

static const struct sample samples[] = {
	{.what = "a firing",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .is_accepted = true},
	{.what = "of the keeper",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .is_accepted = true,
	 .context = CONTEXT_KEEPER,
	 .pid = OTHER,
	 .stack_pid = OTHER},
	{.what = "without the last item",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, NONE}},
	{.what = "without the first item",
	 .clause = PLAIN,
	 .items = {PLAIN_STACK, NONE}},
	{.what = "without items", .clause = PLAIN, .items = {NONE}},
	{.what = "in the wrong order",
	 .clause = PLAIN,
	 .items = {PLAIN_STACK, PLAIN_NUMBER, NONE}},
	{.what = "an item twice",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_NUMBER, PLAIN_STACK, NONE}},
	{.what = "one item too many",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, PLAIN_NUMBER, NONE}},
	{.what = "an action of dtrace's clause",
	 .clause = PLAIN,
	 .items = {TICK_SYSTEM, NONE}},
	{.what = "such an action after its own",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, TICK_SYSTEM, NONE}},
	{.what = "such an action between its own",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, TICK_SYSTEM, PLAIN_STACK, NONE}},
	{.what = "an exit() of another clause",
	 .clause = PLAIN,
	 .items = {KEEPER_EXIT, NONE}},
	{.what = "an empty one in place of another",
	 .clause = EMPTY,
	 .items = {PLAIN_NUMBER, NONE}},
	{.what = "an empty clause",
	 .clause = EMPTY,
	 .items = {NONE},
	 .is_accepted = true},
	{.what = "both branches",
	 .clause = CHOICE,
	 .items = {CHOICE_FIRST, CHOICE_SECOND, NONE},
	 .is_accepted = true},
	{.what = "one branch",
	 .clause = CHOICE,
	 .items = {CHOICE_SECOND, NONE},
	 .is_accepted = true},
	{.what = "a branch that does not go on",
	 .clause = CHOICE,
	 .items = {CHOICE_FIRST, NONE}},
	{.what = "branches in the wrong order",
	 .clause = CHOICE,
	 .items = {CHOICE_SECOND, CHOICE_FIRST, NONE}},
	/* where the clause can run */
	{.what = "dtrace's clause, in dtrace",
	 .clause = TICK,
	 .items = {TICK_SYSTEM, NONE},
	 .is_accepted = true,
	 .context = CONTEXT_FRONT},
	{.what = "dtrace's clause, in the target",
	 .clause = TICK,
	 .items = {TICK_SYSTEM, NONE}},
	{.what = "dtrace's clause, in the keeper",
	 .clause = TICK,
	 .items = {TICK_SYSTEM, NONE},
	 .context = CONTEXT_KEEPER},
	{.what = "the keeper's clause, there",
	 .clause = KEEPER,
	 .items = {KEEPER_EXIT, NONE},
	 .is_accepted = true,
	 .context = CONTEXT_KEEPER},
	{.what = "the keeper's clause, in the target",
	 .clause = KEEPER,
	 .items = {KEEPER_EXIT, NONE}},
	{.what = "the keeper's clause, in dtrace",
	 .clause = KEEPER,
	 .items = {KEEPER_EXIT, NONE},
	 .context = CONTEXT_FRONT},
	{.what = "a breakpoint's clause, in the target",
	 .clause = PID,
	 .items = {PID_NUMBER, NONE}},
	{.what = "a breakpoint's clause, in the keeper",
	 .clause = PID,
	 .items = {PID_NUMBER, NONE},
	 .is_accepted = true,
	 .context = CONTEXT_KEEPER},
	{.what = "a probe without a jump there",
	 .clause = ABSENT,
	 .items = {ABSENT_NUMBER, NONE}},
	{.what = "the same, in the keeper",
	 .clause = ABSENT,
	 .items = {ABSENT_NUMBER, NONE},
	 .is_accepted = true,
	 .context = CONTEXT_KEEPER},
	{.what = "ERROR, in the target",
	 .clause = ERROR,
	 .items = {ERROR_NUMBER, NONE},
	 .is_accepted = true},
	{.what = "ERROR, in the keeper",
	 .clause = ERROR,
	 .items = {ERROR_NUMBER, NONE},
	 .is_accepted = true,
	 .context = CONTEXT_KEEPER},
	/* who */
	{.what = "of another process",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .pid = OTHER,
	 .stack_pid = OTHER},
	{.what = "of another thread",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .tid = OTHER},
	{.what = "a stack of another process",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .stack_pid = OTHER},
	{.what = "a CPU that cannot be",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .cpu = 10000},
	{.what = "a CPU that this machine does not have",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .cpu = 8191},
	{.what = "an epid of another clause",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .epid = CHOICE + 1},
	{.what = "an epid that does not exist",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .epid = 1000},
	{.what = "a probe without this clause",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .probe = PROBE_ERROR},
	{.what = "a probe that does not exist",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .probe = 1000},
	/* speculations */
	{.what = "speculative",
	 .clause = SPECULATE,
	 .items = {SPECULATE_NUMBER, NONE},
	 .is_accepted = true,
	 .spec = 1},
	{.what = "speculative, its item left out",
	 .clause = SPECULATE,
	 .items = {NONE},
	 .spec = 1},
	{.what = "speculative, of a clause that does not",
	 .clause = PLAIN,
	 .items = {PLAIN_NUMBER, PLAIN_STACK, NONE},
	 .spec = 1},
	{.what = "a commit",
	 .clause = SPECULATE,
	 .items = {NONE},
	 .is_accepted = true,
	 .kind = RECORD_COMMIT,
	 .spec = 1},
	{.what = "a commit of a clause that does not",
	 .clause = DISCARD,
	 .items = {NONE},
	 .kind = RECORD_COMMIT,
	 .spec = 1},
	{.what = "a discard",
	 .clause = DISCARD,
	 .items = {NONE},
	 .is_accepted = true,
	 .kind = RECORD_DISCARD,
	 .spec = 1},
	{.what = "a commit without room",
	 .clause = SPECULATE,
	 .items = {NONE},
	 .is_accepted = true,
	 .kind = RECORD_DISCARD,
	 .spec = 1},
	{.what = "a discard of a clause that does not",
	 .clause = FAULTY,
	 .items = {NONE},
	 .kind = RECORD_DISCARD,
	 .spec = 1},
	/* faults */
	{.what = "a fault",
	 .clause = FAULTY,
	 .items = {NONE},
	 .is_accepted = true,
	 .kind = RECORD_FAULT,
	 .fault = {2, 5, FAULT_BADADDR, 0, 0}},
	{.what = "a fault of another statement",
	 .clause = FAULTY,
	 .items = {NONE},
	 .kind = RECORD_FAULT,
	 .fault = {1, 5, FAULT_BADADDR, 0, 0}},
	{.what = "a fault after the clause",
	 .clause = FAULTY,
	 .items = {NONE},
	 .kind = RECORD_FAULT,
	 .fault = {2, 100, FAULT_BADADDR, 0, 0}},
	{.what = "an unknown fault",
	 .clause = FAULTY,
	 .items = {NONE},
	 .kind = RECORD_FAULT,
	 .fault = {2, 5, 77, 0, 0}},
	{.what = "a fault of the keeper's clause",
	 .clause = KEEPER,
	 .items = {NONE},
	 .kind = RECORD_FAULT,
	 .fault = {1, 0, FAULT_BADADDR, 0, 0}},
};

static uint32_t probe_of(const struct rig *r, uint32_t clause)
{
	for (uint32_t id = 1; id <= r->probes.table.len; id++) {
		const struct probe *p = probes_get(&r->probes, id);

		for (size_t i = 0; i < p->nenablings; i++)
			if (probe_enablings(p)[i].clause == clause)
				return id;
	}
	return 0;
}

static void forge(const struct rig *r, const struct sample *s, struct forged *f)
{
	*f = (struct forged){
		.r = {
			.size = sizeof(struct record),
			.kind = (uint16_t)(s->kind ? s->kind : RECORD_DATA),
			.probe = s->probe ? s->probe : probe_of(r, s->clause),
			.clause = s->clause,
			.epid = s->epid ? s->epid : s->clause + 1,
			.cpu = s->cpu,
			.pid = s->pid ? s->pid : TARGET,
			.tid = s->tid ? s->tid : TARGET,
			.time = NOW / 2,
			.spec = s->spec,
		}};
	for (int i = 0; s->items[i] != NONE; i++)
		put_item(f, r->image, (uint32_t)s->items[i],
			 s->stack_pid ? s->stack_pid : TARGET);
	if (f->r.kind == RECORD_FAULT)
		put(f, &s->fault, sizeof(s->fault));
}

/* What is accepted without a look at all of it is good. */
static void test_samples(void **state)
{
	struct fixture f;
	unsigned nplain = 0;

	(void)state;
	fixture_new(&f);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		struct record_origin from = {.context = s->context};
		struct forged record;
		uint64_t last = 0;
		bool is_plain;

		if (!s->context)
			from = (struct record_origin){CONTEXT_RESIDENT, TARGET, TARGET};
		forge(f.rig, s, &record);
		is_plain = record_check_accepts_plain(f.check, &from, &record.r, &last);
		nplain += is_plain;
		if (is_plain && !s->is_accepted)
			fail_msg("%s: accepted as plain", s->what);
		if (record_check_accepts(f.check, &from, &record.r, &last) !=
		    s->is_accepted)
			fail_msg("%s: %s", s->what,
				 s->is_accepted ? "rejected" : "accepted");
	}
	assert_true(nplain > 0);
	fixture_free(&f);
}

/* Where the owner of a slot is not known, any process with the probe may be it. */
static void test_unknown_owner(void **state)
{
	const struct record_origin from = {.context = CONTEXT_RESIDENT};
	struct sample s = samples[0];
	struct fixture f;
	struct forged record;
	uint64_t last = 0;

	(void)state;
	fixture_new(&f);
	for (int turn = 0; turn < 2; turn++) { /* the second answer is a kept one */
		forge(f.rig, &s, &record);
		assert_true(record_check_accepts(f.check, &from, &record.r, &last));
		s.pid = s.stack_pid = OTHER;
		forge(f.rig, &s, &record);
		assert_false(record_check_accepts(f.check, &from, &record.r, &last));
		s = samples[0];
	}
	fixture_free(&f);
}

/* A time that cannot be becomes one that can. */
static void test_times(void **state)
{
	static const struct {
		uint64_t time, expected;
	} cases[] = {
		{10, 10}, {10, 10},	     {5, 10},	     {11, 11},
		{0, 11},  {UINT64_MAX, NOW}, {NOW - 1, NOW}, {NOW + 1, NOW},
	};
	const struct record_origin from = {CONTEXT_RESIDENT, TARGET, TARGET};
	struct fixture f;
	struct forged record;
	uint64_t last = 0;

	(void)state;
	fixture_new(&f);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		forge(f.rig, &samples[0], &record);
		record.r.time = cases[i].time;
		assert_true(record_check_accepts(f.check, &from, &record.r, &last));
		assert_int_equal(record.r.time, cases[i].expected);
		assert_int_equal(last, cases[i].expected);
	}
	fixture_free(&f);
}

/* A target's record that names the clause of dtrace runs nothing and is counted. */
static void test_not_performed(void **state)
{
	const struct rig_value status[] = {INT(4, 9), {0}};
	struct rig *r = rig_new();
	int exit_status;

	(void)state;
	for (uint32_t id = PROBE_BEGIN; id <= PROBE_ERROR; id++)
		probes_get(&r->probes, id)->provider = &prov_dtrace;
	probes_enable(&r->probes, PROBE_END, rig_clause(r));
	rig_action(r, ACTION_printf, "forged\n", NULL, NULL);
	rig_action(r, ACTION_exit, NULL, status, NULL);
	rig_end(r);
	rig_options(r, "quiet");
	rig_start(r);
	for (int i = 0; i < 2; i++)
		rig_fire(r, STATE_SLOT_FIRST_THREAD, PROBE_END);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), "");
	assert_false(consumer_exit_status(r->consumer, &exit_status));
	rig_catch(r);
	consumer_report_drops(r->consumer);
	rig_release(r);
	assert_string_equal(rig_err(r),
			    "dtrace: 2 records rejected: no clause that can run in the "
			    "process writes such records\n");
	rig_fire(r, STATE_SLOT_FRONT, PROBE_END);
	assert_int_equal(rig_pass(r, 0), 0);
	assert_string_equal(rig_out(r), "forged\n");
	assert_true(consumer_exit_status(r->consumer, &exit_status));
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_unknown_owner),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_not_performed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
