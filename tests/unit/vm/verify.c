/* SPDX-License-Identifier: MIT */
/* The verifier: what it refuses, and that nothing it accepts does harm. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/block_read.h"
#include "tests/unit/support/vm_everything.h"
#include "vm/agg.h"
#include "vm/base/host/strbuf.h"

static void test_accepts(void **state)
{
	struct verify_error e = {0, NULL};
	size_t size;
	void *image = build_everything(&size);

	(void)state;
	if (program_verify(image, size, &e) != 0)
		fail_msg("instruction %u: %s", e.insn, e.text);
	free(image);
}

enum { HEADER = SECTION_COUNT };

#define AT(type, member) (uint32_t) offsetof(struct type, member)
#define SECTION(s, member)                                                             \
	(uint32_t)(offsetof(struct program_header, section) +                          \
		   SECTION_##s * sizeof(struct program_section) +                      \
		   offsetof(struct program_section, member))

/* One spoilt word of the tables: which, by how many bytes wide, and what is said. */
static void test_refuses_tables(void **state)
{
	static const struct {
		uint32_t table; /* HEADER or a section */
		uint32_t offset, width;
		uint64_t value;
		const char *text;
	} cases[] = {
		{HEADER, AT(program_header, magic), 4, 1, "not a program image"},
		{HEADER, AT(program_header, version), 4, 99, "not a program image"},
		{HEADER, AT(program_header, size), 4, 64, "cut off"},
		{HEADER, AT(program_header, strsize), 4, 0, "strsize"},
		{HEADER, AT(program_header, strsize), 4, PROGRAM_STRSIZE_MAX + 1,
		 "strsize"},
		{HEADER, AT(program_header, globals), 4, UINT32_MAX, "too large"},
		{HEADER, AT(program_header, locals), 4, UINT32_MAX, "too large"},
		{HEADER, AT(program_header, globals), 4, 8, "outside its storage"},
		{HEADER, AT(program_header, locals), 4, 0, "outside its storage"},
		{HEADER, SECTION(CODE, offset), 4, 12, "outside the image"},
		{HEADER, SECTION(CODE, offset), 4, 0, "outside the image"},
		{HEADER, SECTION(VAR, count), 4, 0x10000000, "outside the image"},
		{HEADER, SECTION(STMT, offset), 4, 0xfffffff8, "outside the image"},
		{HEADER, SECTION(STR, count), 4, 0, "not terminated"},
		{HEADER, SECTION(STR, count), 4, 2, "not terminated"},
		{SECTION_STR, 0, 1, 'x', "not terminated"},
		{SECTION_FIELD, AT(program_field, kind), 1, 3, "bad field"},
		{SECTION_FIELD, AT(program_field, is_signed), 1, 2, "bad field"},
		{SECTION_FIELD, AT(program_field, size), 4, 3, "bad field"},
		{SECTION_FIELD, AT(program_field, size), 4, 0, "bad field"},
		{SECTION_FIELD, AT(program_field, type), 4, 9999, "bad field"},
		{SECTION_VAR, AT(program_var, name), 4, 9999, "bad variable"},
		{SECTION_VAR, AT(program_var, value.size), 4, 16, "bad variable"},
		{SECTION_VAR, AT(program_var, first_key), 4, 9999, "bad variable"},
		{SECTION_VAR, AT(program_var, first_key), 4, UINT32_MAX,
		 "bad variable"},
		{SECTION_VAR, AT(program_var, nkeys), 4, 1, "outside its storage"},
		{SECTION_VAR, AT(program_var, scope), 1, 5, "outside its storage"},
		{SECTION_VAR, AT(program_var, scope), 1, SCOPE_ARRAY,
		 "outside its storage"},
		{SECTION_VAR, AT(program_var, storage), 4, 4, "outside its storage"},
		{SECTION_VAR, AT(program_var, storage), 4, 0xfffffff8,
		 "outside its storage"},
		{SECTION_AGG, AT(program_agg, name), 4, 9999, "bad aggregation"},
		{SECTION_AGG, AT(program_agg, func), 4, AGG_COUNT_OF,
		 "bad aggregation"},
		{SECTION_AGG, AT(program_agg, nkeys), 4, 9999, "bad aggregation"},
		{SECTION_AGG, AT(program_agg, variant_of), 4, 9999, "bad variant"},
		{SECTION_AGG, AT(program_agg, variant_of), 4, 1, "bad variant"},
		{SECTION_AGG, AT(program_agg, words), 4, 2, "wrong size"},
		{SECTION_AGG, AT(program_agg, func), 4, AGG_lquantize, "wrong size"},
		{SECTION_OPERAND, 0, 4, AGG_COUNT_OF, "operand is no aggregation"},
		{SECTION_ACTION, AT(program_action, kind), 4, ACTION_COUNT,
		 "bad action"},
		{SECTION_ACTION, AT(program_action, text), 4, 9999, "bad action"},
		{SECTION_ACTION, AT(program_action, nfields), 4, 9999, "bad action"},
		{SECTION_ACTION, AT(program_action, first_operand), 4, 9999,
		 "bad action"},
		{SECTION_CLAUSE, AT(program_clause, count), 4, 0, "outside the code"},
		{SECTION_CLAUSE, AT(program_clause, count), 4, 9999,
		 "outside the code"},
		{SECTION_CLAUSE, AT(program_clause, first), 4, UINT32_MAX,
		 "outside the code"},
		{SECTION_CLAUSE, AT(program_clause, contexts), 4, 8, "bad clause"},
		{SECTION_CLAUSE, AT(program_clause, flags), 4, 4, "bad clause"},
		{SECTION_CLAUSE, AT(program_clause, nstmts), 4, 99,
		 "statements outside"},
		{SECTION_CLAUSE, AT(program_clause, stmt), 4, UINT32_MAX,
		 "statements outside"},
		{SECTION_STMT, 0, 4, 9999, "statements outside"},
		{SECTION_STMT, 0, 4, 31, "statements outside"},
		{SECTION_CLAUSE, AT(program_clause, count), 4, 3, "statements outside"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct verify_error e = {0, "accepted"};
		size_t size;
		char *image = build_everything(&size);
		uint32_t base = 0;

		if (cases[i].table != HEADER)
			base = program_header(image)->section[cases[i].table].offset;
		memcpy(image + base + cases[i].offset, &cases[i].value, cases[i].width);
		if (program_verify(image, size, &e) != STATUS_BADFMT ||
		    !strstr(e.text, cases[i].text))
			fail_msg("case %zu: '%s', not '%s'", i, e.text, cases[i].text);
		assert_true(e.insn == UINT32_MAX);
		free(image);
	}
}

static void test_refuses_sizes(void **state)
{
	struct verify_error e;
	size_t size;
	char *image = build_everything(&size);
	char *shifted = malloc(size + 4);

	(void)state;
	assert_int_equal(program_verify(image, 0, &e), STATUS_BADFMT);
	assert_int_equal(program_verify(image, 8, &e), STATUS_BADFMT);
	assert_int_equal(program_verify(image, size - 8, &e), STATUS_BADFMT);
	memcpy(shifted + 4, image, size);
	assert_int_equal(program_verify(shifted + 4, size, &e), STATUS_BADFMT);
	assert_string_equal(e.text, "image not aligned");
	free(shifted);
	free(image);
}

/* One clause each; the instruction at `at` is the one refused. */
static void test_refuses_code(void **state)
{
	const struct {
		insn_t code[8];
		uint32_t n, at;
		const char *text;
	} cases[] = {
		{{I(LI, 0, 0, 0, 0)}, 1, 0, "clause does not end"},
		{{OP_COUNT, I(END, 0, 0, 0, 0)}, 2, 0, "no such instruction"},
		{{255, I(END, 0, 0, 0, 0)}, 2, 0, "no such instruction"},
		{{I(LI, 32, 0, 0, 0), I(END, 0, 0, 0, 0)}, 2, 0, "no such register"},
		{{I(MOV, 0, 200, 0, 0), I(END, 0, 0, 0, 0)}, 2, 0, "no such register"},
		{{I(MOV, 0, 1, 0, 0), I(END, 0, 0, 0, 0)}, 2, 0, "before it is set"},
		{{I(MOV, 0, 0, 0, 0), I(END, 0, 0, 0, 0)}, 2, 0, "before it is set"},
		{{I(LI, 0, 1, 0, 0), I(END, 0, 0, 0, 0)}, 2, 0, "unused field"},
		{{I(END, 0, 0, 0, 1)}, 1, 0, "unused field"},
		{{I(LI, 0, 0, 0, 0), I(MOV, 1, 0, 0, 5), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "unused field"},
		{{I(LI, 0, 0, 0, 0), I(EXTS, 1, 0, 3, 0), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "bad size"},
		{{I(LI, 0, 0, 0, 0), I(EXTS, 1, 0, 0x84, 0), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "bad size"},
		{{I(LI, 0, 0, 0, 0), I(LD, 1, 0, 0x83, 0), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "bad size"},
		{{I(LC, 0, 0, 0, 99), I(END, 0, 0, 0, 0)}, 2, 0, "no such entry"},
		{{I(LC, 0, 0, 0, -1), I(END, 0, 0, 0, 0)}, 2, 0, "no such entry"},
		{{I(LS, 0, 0, 0, 9999), I(END, 0, 0, 0, 0)}, 2, 0, "no such entry"},
		{{I(LDG, 0, 0, 0, 99), I(END, 0, 0, 0, 0)}, 2, 0, "no such entry"},
		{{I(BI, 0, 0, 0, BUILTIN_COUNT), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "no such built-in"},
		{{I(BI, 0, 0, 0, BUILTIN_uregs), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "wrong kind of built-in"},
		{{I(LI, 0, 0, 0, 0), I(BIX, 1, 0, 0, BUILTIN_pid), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong kind of built-in"},
		{{I(LI, 0, 0, 0, 0), I(CALL, 1, 0, 1, SUBR_COUNT), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "no such subroutine"},
		{{I(LI, 0, 0, 0, 0), I(CALL, 1, 0, 2, SUBR_strlen), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong number"},
		{{I(LI, 0, 0, 0, 0), I(CALL, 1, 0, 0, SUBR_strlen), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong number"},
		{{I(LI, 0, 0, 0, 0), I(CALL, 1, 0, 2, SUBR_copyin), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "before it is set"},
		{{I(LI, 31, 0, 0, 0), I(CALL, 1, 31, 2, SUBR_copyin),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "no such register"},
		{{I(JMP, 0, 0, 0, 1), I(END, 0, 0, 0, 0)}, 2, 0, "bad jump"},
		{{I(JMP, 0, 0, 0, -1), I(END, 0, 0, 0, 0)}, 2, 0, "bad jump"},
		{{I(JMP, 0, 0, 0, INT32_MAX), I(END, 0, 0, 0, 0)}, 2, 0, "bad jump"},
		/* set on one of two paths only */
		{{I(LI, 0, 0, 0, 0), I(JZ, 0, 0, 0, 1), I(LI, 1, 0, 0, 0),
		  I(MOV, 2, 1, 0, 0), I(END, 0, 0, 0, 0)},
		 5,
		 3,
		 "before it is set"},
		{{I(LDG, 0, 0, 0, EV_THIS), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "wrong kind of variable"},
		{{I(LDT, 0, 0, 0, EV_GLOBAL_INT), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "wrong kind of variable"},
		{{I(LDG, 0, 0, 1, EV_GLOBAL_INT), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "wrong kind of variable"},
		{{I(TUP, 0, 0, 0, 0), I(LDD, 0, 0, 0, EV_THIS), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong kind of variable"},
		{{I(LI, 0, 0, 0, 0), I(LDGP, 0, 0, 4, EV_GLOBAL_INT),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong kind of variable"},
		{{I(LI, 0, 0, 0, 0), I(STGP, 0, 0, 4, EV_SELF_ARRAY),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong kind of variable"},
		{{I(LI, 0, 0, 0, 0), I(LDGP, 0, 0, 3, EV_GLOBAL_BYTES),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "bad size"},
		{{I(LI, 0, 0, 0, 0), I(STGP, 0, 0, 4 | ISA_SIGNED, EV_GLOBAL_BYTES),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "bad size"},
		{{I(LDGA, 0, 0, 0, EV_GLOBAL_STR), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "wrong kind of variable"},
		{{I(LDGA, 0, 0, 1, EV_GLOBAL_BYTES), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "wrong kind of variable"},
		{{I(TUP, 0, 0, 0, 0), I(LDDA, 0, 0, 0, EV_SELF_STR),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong kind of variable"},
		{{I(TUP, 0, 0, 0, 0), I(LDDA, 0, 0, 1, EV_SELF_BYTES),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "wrong kind of variable"},
		{{I(LDDA, 0, 0, 0, EV_SELF_BYTES), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "no tuple"},
		{{I(LDGP, 0, 0, 4, EV_GLOBAL_BYTES), I(END, 0, 0, 0, 0)},
		 2,
		 0,
		 "before it is set"},
		{{I(LI, 0, 0, 0, 0), I(LDDP, 0, 0, 4, EV_SELF_ARRAY),
		  I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "no tuple"},
		{{I(LI, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0),
		  I(STDP, 0, 0, 4, EV_SELF_ARRAY), I(END, 0, 0, 0, 0)},
		 4,
		 2,
		 "does not match"},
		{{I(LI, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(STDP, 0, 0, 4, EV_SELF),
		  I(END, 0, 0, 0, 0)},
		 4,
		 2,
		 "wrong kind of variable"},
		{{I(MCPY, 0, 0, 0, 4), I(END, 0, 0, 0, 0)}, 2, 0, "before it is set"},
		{{I(LDD, 0, 0, 2, EV_SELF), I(END, 0, 0, 0, 0)}, 2, 0, "bad keep"},
		{{I(LDD, 0, 0, 0, EV_SELF), I(END, 0, 0, 0, 0)}, 2, 0, "no tuple"},
		{{I(REC, 0, 0, 0, 2), I(END, 0, 0, 0, 0)}, 2, 0, "no tuple"},
		{{I(LI, 0, 0, 0, 0), I(TPI, 0, 0, 8, 0), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "no tuple"},
		{{I(LI, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(TPB, 0, 0, 0, 0),
		  I(END, 0, 0, 0, 0)},
		 4,
		 2,
		 "bad size"},
		{{I(TUP, 0, 0, 0, 0), I(END, 0, 0, 0, 0)}, 2, 1, "not used at the end"},
		{{I(TUP, 0, 0, 0, 0), I(LDD, 0, 0, 1, EV_SELF), I(END, 0, 0, 0, 0)},
		 3,
		 2,
		 "not used at the end"},
		{{I(TUP, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0),
		  I(TUP, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(END, 0, 0, 0, 0)},
		 6,
		 4,
		 "nested too deep"},
		{{I(TUP, 0, 0, 0, 0), I(REC, 0, 0, 0, 0), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "does not match"},
		{{I(LI, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(TPI, 0, 0, 4, 0),
		  I(REC, 0, 0, 0, 0), I(END, 0, 0, 0, 0)},
		 5,
		 3,
		 "does not match"},
		{{I(LI, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(TPS, 0, 0, 0, 0),
		  I(AGGR, 0, 0, 0, AGG_sum), I(END, 0, 0, 0, 0)},
		 5,
		 3,
		 "does not match"},
		{{I(LI, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(TPI, 0, 0, 4, 0),
		  I(STD, 0, 0, 0, EV_SELF_ARRAY), I(END, 0, 0, 0, 0)},
		 5,
		 3,
		 "does not match"},
		/* a tuple begun on one path only */
		{{I(LI, 0, 0, 0, 0), I(JZ, 0, 0, 0, 1), I(TUP, 0, 0, 0, 0),
		  I(END, 0, 0, 0, 0)},
		 4,
		 3,
		 "paths meet"},
		/* pushed to on one path only */
		{{I(LI, 0, 0, 0, 0), I(TUP, 0, 0, 0, 0), I(JZ, 0, 0, 0, 1),
		  I(TPI, 0, 0, 2, 0), I(REC, 0, 0, 0, 0), I(END, 0, 0, 0, 0)},
		 6,
		 4,
		 "paths meet"},
		/* two jumps to one place with different tuples */
		{{I(LI, 0, 0, 0, 0), I(JZ, 0, 0, 0, 3), I(TUP, 0, 0, 0, 0),
		  I(JZ, 0, 0, 0, 1), I(REC, 0, 0, 0, 2), I(END, 0, 0, 0, 0)},
		 6,
		 3,
		 "paths meet"},
		/* code that is never reached is still looked at */
		{{I(JMP, 0, 0, 0, 1), I(MOV, 99, 0, 0, 0), I(END, 0, 0, 0, 0)},
		 3,
		 1,
		 "no such register"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_new();
		struct verify_error e = {0, "accepted"};
		size_t size;
		void *image;

		build_everything_tables(b);
		build_clause(b, cases[i].code, cases[i].n);
		image = build_image(b, &size);
		if (program_verify(image, size, &e) != STATUS_BADFMT ||
		    !strstr(e.text, cases[i].text) || e.insn != cases[i].at)
			fail_msg("case %zu: '%s' at %u, not '%s'", i, e.text, e.insn,
				 cases[i].text);
		free(image);
	}
}

/* A jump table with more targets than the verifier can keep is refused, not cut. */
static void test_open_branches(void **state)
{
	static const struct {
		uint32_t branches;
		int result;
	} cases[] = {{1, 0}, {256, 0}, {257, STATUS_BADFMT}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_new();
		struct verify_error e = {0, "accepted"};
		uint32_t n = cases[i].branches;
		insn_t *code = calloc(2 * n + 2, sizeof(*code));
		size_t size;
		void *image;

		code[0] = I(LI, 0, 0, 0, 0);
		for (uint32_t j = 0; j < n; j++) { /* the first jumps to the last */
			code[1 + j] = I(JZ, 0, 0, 0, 2 * (n - j) - 2);
			code[1 + n + j] = I(LI, 0, 0, 0, 0);
		}
		code[2 * n + 1] = I(END, 0, 0, 0, 0);
		build_clause(b, code, 2 * n + 2);
		image = build_image(b, &size);
		assert_int_equal(program_verify(image, size, &e), cases[i].result);
		if (cases[i].result)
			assert_non_null(strstr(e.text, "too many branches"));
		free(code);
		free(image);
	}
}

static void see_element(void *ctx, const struct agg_entry_view *e)
{
	(void)e;
	++*(unsigned *)ctx;
}

/* Fires all clauses and reads everything back; the sanitizers are the judge. */
static void exercise(struct rig *r)
{
	unsigned seen = 0;

	vm_fire(&r->vm, &r->probe, VM_FIRE_END);
	while (ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes)) == 1)
		ring_advance(rig_reader(r));
	walk_slot(r->state, r->vm.slot, r->image, see_element, &seen);
}

static bool try_image(struct rig *r, char *image)
{
	struct verify_error e = {0, NULL};
	struct strbuf out = {0};

	if (program_verify(image, r->image_size, &e) != 0) {
		assert_non_null(e.text);
		return false;
	}
	r->image = image;
	r->vm.image = image;
	r->probe.nenablings = 3;
	exercise(r);
	dump_image(image, &out);
	strbuf_release(&out);
	return true;
}

/*
 * Every 32-bit word of a valid image replaced by several values, one at a time:
 * refused, or runs without harm. The state is never cleaned in between, so the
 * machine also meets what earlier mutants left.
 */
static void test_every_word_spoilt(void **state)
{
	size_t size, accepted = 0, tried = 0;
	char *good = build_everything(&size), *image = malloc(size);
	struct state_config c = rig_config(good);
	struct rig *r = rig_with(good, size, &c);

	(void)state;
	r->vm.error = &r->error;
	r->error.nenablings = 1;
	for (size_t at = 0; at + 4 <= size; at += 4) {
		uint32_t old;

		memcpy(&old, good + at, 4);
		for (uint32_t k = 0; k < 44; k++) {
			const uint32_t values[] = {
				0,	    1,	     UINT32_MAX, INT32_MAX,
				0x80000000, old + 1, old - 1,	 ~old,
				old * 2,    old + 8, old ^ 0x80, 0xfffffff8,
			};
			uint32_t v =
				k < ARRAY_LEN(values)
					? values[k]
					: old ^ UINT32_C(1) << (k - ARRAY_LEN(values));

			memcpy(image, good, size);
			memcpy(image + at, &v, 4);
			accepted += try_image(r, image);
			tried++;
		}
	}
	assert_true(accepted > 0 && accepted < tried / 2);
	r->image = good;
	rig_free(r);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepts),
		cmocka_unit_test(test_refuses_tables),
		cmocka_unit_test(test_refuses_sizes),
		cmocka_unit_test(test_refuses_code),
		cmocka_unit_test(test_open_branches),
		cmocka_unit_test(test_every_word_spoilt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
