/* SPDX-License-Identifier: MIT */
/* Addresses of D variables: what they reach, and that forged ones reach nothing. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"

#define SIZE	   100u /* of the structs: a self-> one takes several cells */
#define DYNVARSIZE 4096u
#define DONE	   I(END, 0, 0, 0, 0)
#define TRACE(reg) I(TUP, 0, 0, 0, 0), I(TPI, reg, 0, 8, 0), I(REC, 0, 0, 0, 0)
#define THREAD_A   1u
#define THREAD_B   2u

enum { VAR_GLOBAL, VAR_NEXT, VAR_SELF, VAR_INT, VAR_TEXT, VAR_ARRAY, VAR_COUNT };

enum {
	CLAUSE_GLOBAL,	/* trace(&global) */
	CLAUSE_SELF,	/* trace(&self->s) */
	CLAUSE_LOAD,	/* trace(*(long *)arg0) */
	CLAUSE_STORE,	/* *(long *)arg0 = arg1 */
	CLAUSE_DELETE,	/* self->s = 0 */
	CLAUSE_COPY,	/* bcopy(arg0, arg1, 8) */
	CLAUSE_STRING,	/* trace(strlen(arg0)) */
	CLAUSE_COPYINTO /* copyinto(WORLD_BASE, 8, arg0) */
};

static struct builder *build_program(void)
{
	struct builder *b = builder_new();
	uint32_t world = build_constant(b, WORLD_BASE);
	const insn_t global[] = {I(LDGA, 1, 0, 0, VAR_GLOBAL), TRACE(1), DONE};
	const insn_t self[] = {I(TUP, 0, 0, 0, 0), I(LDDA, 1, 0, 0, VAR_SELF), TRACE(1),
			       DONE};
	const insn_t load[] = {I(BI, 1, 0, 0, BUILTIN_arg0), I(LD, 2, 1, 8, 0),
			       TRACE(2), DONE};
	const insn_t store[] = {I(BI, 1, 0, 0, BUILTIN_arg0),
				I(BI, 2, 0, 0, BUILTIN_arg1), I(ST, 1, 2, 8, 0), DONE};
	const insn_t delete[] = {I(LI, 1, 0, 0, 0), I(TUP, 0, 0, 0, 0),
				 I(STD, 1, 0, 0, VAR_SELF), DONE};
	const insn_t copy[] = {I(BI, 1, 0, 0, BUILTIN_arg0),
			       I(BI, 2, 0, 0, BUILTIN_arg1), I(LI, 3, 0, 0, 8),
			       I(CALL, 4, 1, 3, SUBR_bcopy), DONE};
	const insn_t text[] = {I(BI, 1, 0, 0, BUILTIN_arg0),
			       I(CALL, 2, 1, 1, SUBR_strlen), TRACE(2), DONE};
	const insn_t copyinto[] = {I(LC, 1, 0, 0, world), I(LI, 2, 0, 0, 8),
				   I(BI, 3, 0, 0, BUILTIN_arg0),
				   I(CALL, 4, 1, 3, SUBR_copyinto), DONE};

	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	build_var(b, SCOPE_GLOBAL, field_bytes(SIZE), 0);
	build_var(b, SCOPE_GLOBAL, field_bytes(SIZE), 0);
	build_var(b, SCOPE_SELF, field_bytes(SIZE), 0);
	build_var(b, SCOPE_GLOBAL, field_int(8, false), 0);
	build_var(b, SCOPE_GLOBAL, field_string(256), 0);
	build_field(b, field_int(8, false));
	build_var(b, SCOPE_ARRAY, field_bytes(SIZE), 1);
	build_clause(b, global, ARRAY_LEN(global));
	build_clause(b, self, ARRAY_LEN(self));
	build_clause(b, load, ARRAY_LEN(load));
	build_clause(b, store, ARRAY_LEN(store));
	build_clause(b, delete, ARRAY_LEN(delete));
	build_clause(b, copy, ARRAY_LEN(copy));
	build_clause(b, text, ARRAY_LEN(text));
	build_clause(b, copyinto, ARRAY_LEN(copyinto));
	return b;
}

static struct rig *rig_made(void)
{
	struct verify_error e = {0, ""};
	struct state_config c;
	struct rig *r;
	size_t size;
	void *image = build_image(build_program(), &size);

	if (program_verify(image, size, &e))
		fail_msg("instruction %u: %s", e.insn, e.text);
	c = rig_config(image);
	c.dynvarsize = DYNVARSIZE;
	r = rig_with(image, size, &c);
	r->probe.nenablings = 1;
	r->vm.thread = THREAD_A;
	return r;
}

/* The value traced, if there is one; the fault, whose address is arg0. */
static enum fault fire(struct rig *r, uint32_t clause, uint64_t arg0, uint64_t arg1,
		       uint64_t *value)
{
	const struct record_fault *fault = rig_body(r);

	r->world.args[0] = arg0;
	r->world.args[1] = arg1;
	r->probe.first_enabling = clause;
	rig_fire(r);
	*value = 0;
	if (!rig_record(r))
		return FAULT_NONE;
	if (r->buf.record.kind == RECORD_FAULT)
		return (enum fault)fault->fault;
	memcpy(value, (const char *)rig_body(r) + 8, 8);
	return FAULT_NONE;
}

static uint64_t value_of(struct rig *r, uint32_t clause, uint64_t arg0)
{
	uint64_t value;

	assert_int_equal(fire(r, clause, arg0, 0, &value), FAULT_NONE);
	return value;
}

static void store(struct rig *r, uint64_t at, uint64_t what)
{
	uint64_t unused;

	assert_int_equal(fire(r, CLAUSE_STORE, at, what, &unused), FAULT_NONE);
}

static enum fault loads(struct rig *r, uint64_t at)
{
	uint64_t unused;

	return fire(r, CLAUSE_LOAD, at, 0, &unused);
}

static enum fault stores(struct rig *r, uint64_t at)
{
	uint64_t unused;

	return fire(r, CLAUSE_STORE, at, UINT64_MAX, &unused);
}

/* Each byte of the variable, and not one more. */
static void expect_bounds(struct rig *r, uint64_t at)
{
	for (uint64_t i = 0; i <= SIZE - 8; i++) {
		store(r, at + i, UINT64_C(0x0102030405060708) + i);
		assert_true(value_of(r, CLAUSE_LOAD, at + i) ==
			    UINT64_C(0x0102030405060708) + i);
	}
	for (uint64_t i = SIZE - 7; i < SIZE + 20; i++) {
		assert_int_equal(loads(r, at + i), FAULT_BADADDR);
		assert_int_equal(stores(r, at + i), FAULT_BADADDR);
	}
	for (uint64_t i = 1; i < 20; i++) {
		assert_int_equal(loads(r, at - i), FAULT_BADADDR);
		assert_int_equal(stores(r, at - i), FAULT_BADADDR);
	}
}

static void test_bounds(void **state)
{
	struct rig *r = rig_made();
	uint64_t global = value_of(r, CLAUSE_GLOBAL, 0), self;

	(void)state;
	assert_true(value_of(r, CLAUSE_LOAD, global + 8) == 0);
	self = value_of(r, CLAUSE_SELF, 0);
	assert_true(value_of(r, CLAUSE_LOAD, self + 8) == 0);
	expect_bounds(r, global);
	expect_bounds(r, self);
	rig_free(r);
}

/* The address of a self-> variable is of this thread's, whoever uses it. */
static void test_threads(void **state)
{
	struct rig *r = rig_made();
	uint64_t a = value_of(r, CLAUSE_SELF, 0), b, unused;

	(void)state;
	store(r, a, 5);
	r->vm.thread = THREAD_B;
	b = value_of(r, CLAUSE_SELF, 0);
	assert_true(a != b);
	store(r, b, 6);
	assert_true(value_of(r, CLAUSE_LOAD, a) == 5);
	assert_int_equal(fire(r, CLAUSE_DELETE, 0, 0, &unused), FAULT_NONE);
	assert_int_equal(loads(r, b), FAULT_BADADDR);
	assert_int_equal(stores(r, b), FAULT_BADADDR);
	r->vm.thread = THREAD_A;
	assert_true(value_of(r, CLAUSE_SELF, 0) == a);
	state_forget_thread(r->state, r->image, r->vm.slot, THREAD_A);
	assert_int_equal(loads(r, a), FAULT_BADADDR);
	rig_free(r);
}

static void test_no_room(void **state)
{
	struct rig *r = rig_made();
	uint64_t n = 0;

	(void)state;
	for (r->vm.thread = 1; n == 0 && r->vm.thread < 100; r->vm.thread++)
		if (value_of(r, CLAUSE_SELF, 0) == 0)
			n = r->vm.thread;
	assert_in_range(n, 2, DYNVARSIZE / SIZE + 1);
	assert_true(state_drops(r->state, r->vm.slot)->dynvars == 1);
	rig_free(r);
}

static void test_copies(void **state)
{
	struct rig *r = rig_made();
	uint64_t at[2] = {value_of(r, CLAUSE_GLOBAL, 0), value_of(r, CLAUSE_SELF, 0)};
	uint64_t unused, text;

	(void)state;
	memcpy(&text, "ab\0defgh", 8);
	memcpy(r->world.memory, &text, 8);
	for (int i = 0; i < 2; i++) {
		uint64_t from = at[i], to = at[1 - i] + 60;

		assert_int_equal(fire(r, CLAUSE_COPYINTO, from, 0, &unused),
				 FAULT_NONE);
		assert_true(value_of(r, CLAUSE_LOAD, from) == text);
		assert_true(value_of(r, CLAUSE_STRING, from) == 2);
		assert_int_equal(fire(r, CLAUSE_COPY, from, to, &unused), FAULT_NONE);
		assert_true(value_of(r, CLAUSE_LOAD, to) == text);
		assert_true(value_of(r, CLAUSE_STRING, to + 3) == 5);
		assert_int_equal(fire(r, CLAUSE_COPY, from, from + 1, &unused),
				 FAULT_NONE);
		assert_true(value_of(r, CLAUSE_LOAD, from + 1) == text);
		assert_int_equal(fire(r, CLAUSE_COPY, from, to + 36, &unused),
				 FAULT_BADADDR);
		assert_int_equal(fire(r, CLAUSE_COPYINTO, from + 93, 0, &unused),
				 FAULT_BADADDR);
		assert_int_equal(fire(r, CLAUSE_STRING, from + SIZE, 0, &unused),
				 FAULT_BADADDR);
	}
	rig_free(r);
}

/* Numbers of variables of other kinds, and of none. */
static void test_forged_globals(void **state)
{
	struct rig *r = rig_made();

	(void)state;
	for (uint64_t i = 0; i < UINT64_C(1) << 19; i += i < 2 * VAR_COUNT ? 1 : 997) {
		uint64_t at = VM_ADDR_GLOBALS + (i << VM_ADDR_OFFSET_BITS);
		enum fault want =
			i == VAR_GLOBAL || i == VAR_NEXT ? FAULT_NONE : FAULT_BADADDR;

		assert_int_equal(loads(r, at), want);
		assert_int_equal(stores(r, at), want);
	}
	rig_free(r);
}

/* Every number of a cell, whatever a hostile process writes into all cells. */
static void expect_only(struct rig *r, uint64_t good)
{
	uint64_t ncells = r->state->ncells;

	for (uint64_t i = 0; i < 4 * ncells; i++) {
		uint64_t cell = i < 2 * ncells ? i : i * UINT64_C(0x1234567);
		uint64_t at = VM_ADDR_CELLS +
			      (cell << VM_ADDR_OFFSET_BITS) % VM_ADDR_CELLS_SPAN;
		enum fault want = at == good ? FAULT_NONE : FAULT_BADADDR;

		assert_int_equal(loads(r, at), want);
		assert_int_equal(stores(r, at), want);
	}
}

static void test_forged_cells(void **state)
{
	struct rig *r = rig_made();
	uint64_t at = value_of(r, CLAUSE_SELF, 0);
	uint64_t bytes = r->state->ncells * (uint64_t)CELL_BYTES;
	unsigned char *cells = layout_at(r->state, r->state->cells_at);
	uint32_t link = (uint32_t)((at - VM_ADDR_CELLS) >> VM_ADDR_OFFSET_BITS);
	unsigned char *mine = cells + (link - 1) * (size_t)CELL_BYTES;
	unsigned char head[CELL_BYTES];

	(void)state;
	expect_only(r, at);
	/* Copies of the head elsewhere, which no chain leads to. */
	memcpy(head, mine, CELL_BYTES);
	for (uint64_t i = 0; i < bytes; i += CELL_BYTES)
		if (cells + i != mine && i / CELL_BYTES % 2)
			memcpy(cells + i, head, CELL_BYTES);
	expect_only(r, at);
	/* Words that make heads, links and lengths of anything. */
	for (uint64_t v = 0; v < 512; v++) {
		memset(cells, (int)(v & 255), bytes);
		if (v & 256)
			memcpy(mine, head, CELL_BYTES);
		for (uint64_t i = 0; i <= r->state->ncells + 1; i++) {
			loads(r, VM_ADDR_CELLS + (i << VM_ADDR_OFFSET_BITS) + v);
			stores(r, VM_ADDR_CELLS + (i << VM_ADDR_OFFSET_BITS) + v);
		}
	}
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_forged_globals),
		cmocka_unit_test(test_forged_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
