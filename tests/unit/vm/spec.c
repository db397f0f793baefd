/* SPDX-License-Identifier: MIT */
/* Speculations in the machine: names, records, room, and numbers out of range. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"

#define NSPEC	 2
#define SPECSIZE 200 /* of records of 24 */

enum clause {
	SPECULATION, /* trace(speculation()) */
	SPECULATE,   /* speculate(arg0); trace(arg1) */
	COMMIT,	     /* commit(arg0) */
	DISCARD,     /* discard(arg0) */
	BOTH,	     /* speculate(arg0); commit(arg0) */
	FAULTING,    /* speculate(arg0); a load from address 0 */
	AFTER,	     /* trace(arg1); discard(arg0); trace(arg1) */
};

static struct rig *rig_speculating(void)
{
	struct builder *b = builder_new();
	const insn_t arg0 = I(BI, 0, 0, 0, BUILTIN_arg0);
	const insn_t arg1 = I(BI, 2, 0, 0, BUILTIN_arg1);
	struct {
		insn_t code[12];
		unsigned n;
	} clauses[] = {
		[SPECULATION] = {{I(CALL, 0, 0, 0, SUBR_speculation),
				  I(TUP, 0, 0, 0, 0), I(TPI, 0, 0, 8, 0),
				  I(REC, 0, 0, 0, 0)},
				 4},
		[SPECULATE] = {{arg0, arg1, I(CALL, 0, 0, 1, SUBR_speculate),
				I(TUP, 0, 0, 0, 0), I(TPI, 2, 0, 8, 0),
				I(REC, 0, 0, 0, 0)},
			       6},
		[COMMIT] = {{arg0, I(CALL, 0, 0, 1, SUBR_commit)}, 2},
		[DISCARD] = {{arg0, I(CALL, 0, 0, 1, SUBR_discard)}, 2},
		[BOTH] = {{arg0, I(MOV, 1, 0, 0, 0), I(CALL, 0, 0, 1, SUBR_speculate),
			   I(CALL, 1, 1, 1, SUBR_commit)},
			  4},
		[FAULTING] = {{arg0, I(CALL, 0, 0, 1, SUBR_speculate),
			       I(LI, 1, 0, 0, 0), I(ULD, 1, 1, 4, 0)},
			      4},
		[AFTER] = {{arg0, arg1, I(TUP, 0, 0, 0, 0), I(TPI, 2, 0, 8, 0),
			    I(REC, 0, 0, 0, 0), I(CALL, 0, 0, 1, SUBR_discard),
			    I(TUP, 0, 0, 0, 0), I(TPI, 2, 0, 8, 0), I(REC, 0, 0, 0, 0)},
			   9},
	};
	struct verify_error e = {0, ""};
	struct state_config c;
	size_t size;
	void *image;

	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	for (size_t i = 0; i < ARRAY_LEN(clauses); i++) {
		clauses[i].code[clauses[i].n++] = I(END, 0, 0, 0, 0);
		build_clause(b, clauses[i].code, clauses[i].n);
	}
	image = build_image(b, &size);
	if (program_verify(image, size, &e))
		fail_msg("%u: %s", e.insn, e.text);
	c = rig_config(image);
	c.nspec = NSPEC;
	c.specsize = SPECSIZE;
	return rig_with(image, size, &c);
}

static void fire(struct rig *r, enum clause clause, uint64_t arg0)
{
	r->world.args[0] = arg0;
	r->world.args[1] = 7;
	r->probe.first_enabling = clause;
	r->probe.nenablings = 1;
	rig_fire(r);
}

static uint64_t traced(const struct rig *r)
{
	uint64_t value;

	memcpy(&value, (const char *)rig_body(r) + sizeof(struct record_item),
	       sizeof(value));
	return value;
}

static uint64_t speculation(struct rig *r)
{
	fire(r, SPECULATION, 0);
	assert_non_null(rig_record(r));
	assert_int_equal(r->buf.record.spec, 0);
	return traced(r);
}

static void expect(struct rig *r, enum record_kind kind, uint64_t spec)
{
	assert_non_null(rig_record(r));
	assert_int_equal(r->buf.record.kind, kind);
	assert_true(r->buf.record.spec == spec);
}

static uint64_t name(uint64_t generation, uint64_t number)
{
	return generation << 32 | number;
}

static void test_names(void **state)
{
	struct rig *r = rig_speculating();
	const struct state_drops *drops = state_drops(r->state, r->vm.slot);

	(void)state;
	assert_int_equal(speculation(r), 1);
	assert_int_equal(speculation(r), 2);
	assert_int_equal(drops->specs_unavailable, 0);
	assert_int_equal(speculation(r), 0);
	assert_int_equal(drops->specs_unavailable, 1);
	fire(r, SPECULATE, 1);
	expect(r, RECORD_DATA, name(0, 1));
	assert_int_equal(traced(r), 7);
	fire(r, COMMIT, 1);
	expect(r, RECORD_COMMIT, name(0, 1));
	fire(r, DISCARD, 2);
	expect(r, RECORD_DISCARD, name(0, 2));
	/* Both have ended: nothing is recorded, nothing ends again. */
	fire(r, SPECULATE, 1);
	fire(r, COMMIT, 1);
	fire(r, DISCARD, 2);
	assert_null(rig_record(r));
	/* And are free under other names. */
	assert_int_equal(speculation(r), 1);
	fire(r, SPECULATE, 1);
	expect(r, RECORD_DATA, name(1, 1));
	fire(r, DISCARD, 1);
	expect(r, RECORD_DISCARD, name(1, 1));
	rig_free(r);
}

/* Numbers that are not in use: nothing is recorded. A foreign one is a fault. */
static void test_numbers(void **state)
{
	static const struct {
		enum clause clause;
		uint64_t number;
		bool is_foreign;
	} cases[] = {
		{SPECULATE, 0, false},
		{COMMIT, 0, false},
		{DISCARD, 0, false},
		{SPECULATE, NSPEC, false},
		{COMMIT, NSPEC, false},
		{DISCARD, NSPEC, false},
		{SPECULATE, NSPEC + 1, true},
		{COMMIT, NSPEC + 1, true},
		{DISCARD, NSPEC + 1, true},
		{DISCARD, UINT32_MAX, true},
		{SPECULATE, (uint64_t)-1, true},
		{SPECULATE, INT32_MAX, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_speculating();
		const struct record *got;

		fire(r, cases[i].clause, cases[i].number);
		got = rig_record(r);
		if ((got != NULL) != cases[i].is_foreign ||
		    (got && got->kind != RECORD_FAULT))
			fail_msg("case %zu", i);
		rig_free(r);
	}
}

/* specsize counts the bytes of one speculation; the next has all of it again. */
static void test_room(void **state)
{
	struct rig *r = rig_speculating();
	const struct state_drops *drops = state_drops(r->state, r->vm.slot);
	unsigned fit = 0;

	(void)state;
	for (uint64_t generation = 0; generation < 3; generation++) {
		assert_int_equal(speculation(r), 1);
		for (int i = 0; i < 10; i++)
			fire(r, SPECULATE, 1);
		while (rig_record(r)) {
			assert_true(r->buf.record.spec == name(generation, 1));
			fit++;
		}
		assert_int_equal(fit, (generation + 1) * (SPECSIZE / 24));
		assert_int_equal(drops->specs, (generation + 1) * (10 - SPECSIZE / 24));
		fire(r, COMMIT, 1);
		expect(r, RECORD_COMMIT, name(generation, 1));
	}
	assert_int_equal(drops->records, 0);
	rig_free(r);
}

/* One clause: what it recorded comes before what it ended. */
static void test_same_clause(void **state)
{
	struct rig *r = rig_speculating();

	(void)state;
	assert_int_equal(speculation(r), 1);
	fire(r, BOTH, 1);
	expect(r, RECORD_DATA, name(0, 1));
	expect(r, RECORD_COMMIT, name(0, 1));
	assert_int_equal(speculation(r), 1);
	fire(r, AFTER, 1);
	expect(r, RECORD_DATA, 0);
	expect(r, RECORD_DISCARD, name(1, 1));
	assert_int_equal(speculation(r), 1);
	fire(r, FAULTING, 1);
	expect(r, RECORD_FAULT, 0);
	assert_null(rig_record(r));
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_same_clause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
