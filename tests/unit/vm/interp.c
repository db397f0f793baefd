/* SPDX-License-Identifier: MIT */
/* Every instruction, by value: each case is one instruction on two constants. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_everything.h"
#include "vm/block/layout.h"

#define S(x) ((uint64_t)(int64_t)(x))

/* Result of a one-instruction program, r0 from r1 and r2; or its fault. */
struct outcome {
	int32_t fault;
	uint64_t value, address;
};

static struct outcome take_outcome(struct rig *r)
{
	struct outcome o = {FAULT_NONE, 0, 0};
	const struct record *record = rig_record(r);
	const struct record_fault *fault = rig_body(r);

	assert_non_null(record);
	if (record->kind == RECORD_FAULT) {
		o.fault = fault->fault;
		o.address = fault->address;
	} else {
		memcpy(&o.value, r->buf.bytes + sizeof(*record) + 8, 8);
	}
	return o;
}

static struct outcome run(insn_t i, uint64_t x, uint64_t y)
{
	struct builder *b = builder_new();
	uint32_t cx = build_constant(b, x), cy = build_constant(b, y);
	struct outcome o;
	struct rig *r;
	uint32_t trace;

	build_field(b, field_int(8, false));
	trace = build_action(b, ACTION_trace, 1);
	{
		const insn_t code[] = {
			I(LI, 0, 0, 0, 0),	I(LC, 1, 0, 0, cx),
			I(LC, 2, 0, 0, cy),	i,
			I(TUP, 0, 0, 0, 0),	I(TPI, 0, 0, 8, 0),
			I(REC, 0, 0, 0, trace), I(END, 0, 0, 0, 0),
		};

		build_clause(b, code, ARRAY_LEN(code));
	}
	build_string(b, "abc");
	r = rig_new(b);
	memcpy(r->world.memory, "\x80\xff\xfe\x81\x01\x02\x03\x84", 8);
	rig_fire(r);
	o = take_outcome(r);
	rig_free(r);
	return o;
}

static const uint64_t least = (uint64_t)INT64_MIN, most = INT64_MAX;

static void test_arithmetic(void **state)
{
	const struct {
		insn_t i;
		uint64_t x, y;
		int32_t fault;
		uint64_t value;
	} cases[] = {
		{I(LI, 0, 0, 0, -1), 0, 0, FAULT_NONE, S(-1)},
		{I(LI, 0, 0, 0, INT32_MIN), 0, 0, FAULT_NONE, S(INT32_MIN)},
		{I(LC, 0, 0, 0, 0), least, 0, FAULT_NONE, least},
		{I(MOV, 0, 1, 0, 0), 7, 0, FAULT_NONE, 7},
		{I(ADD, 0, 1, 2, 0), most, 1, FAULT_NONE, least},
		{I(ADD, 0, 1, 2, 0), S(-1), 1, FAULT_NONE, 0},
		{I(SUB, 0, 1, 2, 0), least, 1, FAULT_NONE, most},
		{I(SUB, 0, 1, 2, 0), 3, 5, FAULT_NONE, S(-2)},
		{I(MUL, 0, 1, 2, 0), most, 2, FAULT_NONE, S(-2)},
		{I(MUL, 0, 1, 2, 0), S(-3), 7, FAULT_NONE, S(-21)},
		{I(DIVS, 0, 1, 2, 0), S(-7), 2, FAULT_NONE, S(-3)},
		{I(DIVS, 0, 1, 2, 0), least, S(-1), FAULT_NONE, least},
		{I(DIVS, 0, 1, 2, 0), 5, S(-1), FAULT_NONE, S(-5)},
		{I(DIVS, 0, 1, 2, 0), 5, 0, FAULT_DIVZERO, 0},
		{I(DIVU, 0, 1, 2, 0), S(-7), 2, FAULT_NONE, most - 3},
		{I(DIVU, 0, 1, 2, 0), S(-1), S(-1), FAULT_NONE, 1},
		{I(DIVU, 0, 1, 2, 0), 0, 0, FAULT_DIVZERO, 0},
		{I(REMS, 0, 1, 2, 0), S(-7), 2, FAULT_NONE, S(-1)},
		{I(REMS, 0, 1, 2, 0), 7, S(-2), FAULT_NONE, 1},
		{I(REMS, 0, 1, 2, 0), least, S(-1), FAULT_NONE, 0},
		{I(REMS, 0, 1, 2, 0), 1, 0, FAULT_DIVZERO, 0},
		{I(REMU, 0, 1, 2, 0), S(-1), 10, FAULT_NONE, 5},
		{I(REMU, 0, 1, 2, 0), 5, S(-1), FAULT_NONE, 5},
		{I(REMU, 0, 1, 2, 0), 1, 0, FAULT_DIVZERO, 0},
		{I(AND, 0, 1, 2, 0), 12, 10, FAULT_NONE, 8},
		{I(OR, 0, 1, 2, 0), 12, 10, FAULT_NONE, 14},
		{I(XOR, 0, 1, 2, 0), 12, 10, FAULT_NONE, 6},
		{I(SHL, 0, 1, 2, 0), 1, 63, FAULT_NONE, least},
		{I(SHL, 0, 1, 2, 0), 1, 64, FAULT_NONE, 1},
		{I(SHL, 0, 1, 2, 0), S(-1), S(-1), FAULT_NONE, least},
		{I(SHR, 0, 1, 2, 0), S(-1), 63, FAULT_NONE, 1},
		{I(SHR, 0, 1, 2, 0), 8, 67, FAULT_NONE, 1},
		{I(SAR, 0, 1, 2, 0), S(-8), 1, FAULT_NONE, S(-4)},
		{I(SAR, 0, 1, 2, 0), S(-8), 127, FAULT_NONE, S(-1)},
		{I(ADDI, 0, 1, 0, -5), 3, 0, FAULT_NONE, S(-2)},
		{I(ADDI, 0, 1, 0, 1), most, 0, FAULT_NONE, least},
		{I(NEG, 0, 1, 0, 0), least, 0, FAULT_NONE, least},
		{I(NEG, 0, 1, 0, 0), 4, 0, FAULT_NONE, S(-4)},
		{I(NOT, 0, 1, 0, 0), 0, 0, FAULT_NONE, S(-1)},
		{I(LNOT, 0, 1, 0, 0), 0, 0, FAULT_NONE, 1},
		{I(LNOT, 0, 1, 0, 0), least, 0, FAULT_NONE, 0},
		{I(EXTS, 0, 1, 1, 0), 0x180, 0, FAULT_NONE, S(-128)},
		{I(EXTS, 0, 1, 2, 0), 0xfff0, 0, FAULT_NONE, S(-16)},
		{I(EXTS, 0, 1, 4, 0), 0x80000000, 0, FAULT_NONE, S(INT32_MIN)},
		{I(EXTS, 0, 1, 8, 0), least, 0, FAULT_NONE, least},
		{I(EXTU, 0, 1, 1, 0), 0x180, 0, FAULT_NONE, 0x80},
		{I(EXTU, 0, 1, 2, 0), S(-16), 0, FAULT_NONE, 0xfff0},
		{I(EXTU, 0, 1, 4, 0), S(-1), 0, FAULT_NONE, UINT32_MAX},
		{I(EXTU, 0, 1, 8, 0), S(-1), 0, FAULT_NONE, S(-1)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outcome o = run(cases[i].i, cases[i].x, cases[i].y);

		if (o.fault != cases[i].fault || o.value != cases[i].value)
			fail_msg("case %zu: fault %d value %lld", i, o.fault,
				 (long long)o.value);
	}
}

static void test_comparisons(void **state)
{
	static const struct {
		int64_t x, y;
		int eq, lts, les, ltu, leu;
	} cases[] = {
		{0, 0, 1, 0, 1, 0, 1},	{-1, 1, 0, 1, 1, 0, 0},
		{1, -1, 0, 0, 0, 1, 1}, {INT64_MIN, INT64_MAX, 0, 1, 1, 0, 0},
		{5, 6, 0, 1, 1, 1, 1},	{-1, -1, 1, 0, 1, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t x = S(cases[i].x), y = S(cases[i].y);

		assert_int_equal(run(I(SEQ, 0, 1, 2, 0), x, y).value, cases[i].eq);
		assert_int_equal(run(I(SNE, 0, 1, 2, 0), x, y).value, !cases[i].eq);
		assert_int_equal(run(I(SLTS, 0, 1, 2, 0), x, y).value, cases[i].lts);
		assert_int_equal(run(I(SLES, 0, 1, 2, 0), x, y).value, cases[i].les);
		assert_int_equal(run(I(SLTU, 0, 1, 2, 0), x, y).value, cases[i].ltu);
		assert_int_equal(run(I(SLEU, 0, 1, 2, 0), x, y).value, cases[i].leu);
	}
}

/* Jumps over MOV r0, r1; so r0 stays 0 when taken. */
static uint64_t jump(insn_t i, uint64_t x)
{
	struct builder *b = builder_new();
	uint32_t cx = build_constant(b, x);
	const insn_t code[] = {
		I(LI, 0, 0, 0, 0),  I(LC, 1, 0, 0, cx), i,
		I(LI, 0, 0, 0, 1),  I(TUP, 0, 0, 0, 0), I(TPI, 0, 0, 8, 0),
		I(REC, 0, 0, 0, 0), I(END, 0, 0, 0, 0),
	};
	struct outcome o;
	struct rig *r;

	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	build_clause(b, code, ARRAY_LEN(code));
	r = rig_new(b);
	rig_fire(r);
	o = take_outcome(r);
	rig_free(r);
	return o.value;
}

static void test_jumps(void **state)
{
	(void)state;
	assert_int_equal(jump(I(JMP, 0, 0, 0, 1), 0), 0);
	assert_int_equal(jump(I(JMP, 0, 0, 0, 0), 0), 1);
	assert_int_equal(jump(I(JZ, 1, 0, 0, 1), 0), 0);
	assert_int_equal(jump(I(JZ, 1, 0, 0, 1), least), 1);
	assert_int_equal(jump(I(JNZ, 1, 0, 0, 1), 0), 1);
	assert_int_equal(jump(I(JNZ, 1, 0, 0, 1), least), 0);
}

/* "\0abc\0" is at VM_ADDR_IMAGE, the target's bytes are 80 ff fe 81 01 02 03 84. */
static void test_memory(void **state)
{
	const uint64_t end = WORLD_BASE + sizeof(((struct world *)0)->memory);
	const struct {
		insn_t i;
		uint64_t x;
		int32_t fault;
		uint64_t value, address;
	} cases[] = {
		{I(LD, 0, 1, 1, 1), VM_ADDR_IMAGE, FAULT_NONE, 'a', 0},
		{I(LD, 0, 1, 2, 0), VM_ADDR_IMAGE + 1, FAULT_NONE, 'a' | 'b' << 8, 0},
		{I(LD, 0, 1, 4, 0), VM_ADDR_IMAGE + 1, FAULT_NONE, 0x636261, 0},
		{I(LD, 0, 1, 1, 4), VM_ADDR_IMAGE, FAULT_NONE, 0, 0},
		{I(LD, 0, 1, 1, 5), VM_ADDR_IMAGE, FAULT_BADADDR, 0, VM_ADDR_IMAGE + 5},
		{I(LD, 0, 1, 8, 0), VM_ADDR_IMAGE, FAULT_BADADDR, 0, VM_ADDR_IMAGE},
		{I(LD, 0, 1, 1, -1), VM_ADDR_IMAGE, FAULT_BADADDR, 0,
		 VM_ADDR_IMAGE - 1},
		{I(LD, 0, 1, 1, 1), VM_ADDR_NAMES, FAULT_NONE, 'p', 0},
		{I(LD, 0, 1, 1, 0), VM_ADDR_NAMES + sizeof(world_names), FAULT_BADADDR,
		 0, VM_ADDR_NAMES + sizeof(world_names)},
		{I(LD, 0, 1, 4, 0), 0, FAULT_BADADDR, 0, 0},
		{I(LD, 0, 1, 4, 16), 0, FAULT_BADADDR, 0, 16},
		{I(LD, 0, 1, 4, 0), WORLD_BASE, FAULT_BADADDR, 0, WORLD_BASE},
		{I(LD, 0, 1, 1, 0), VM_ADDR_SCRATCH - 1, FAULT_BADADDR, 0,
		 VM_ADDR_SCRATCH - 1},
		{I(LD, 0, 1, 1, SCRATCH_BYTES), VM_ADDR_SCRATCH, FAULT_BADADDR, 0,
		 VM_ADDR_SCRATCH + SCRATCH_BYTES},
		{I(LD, 0, 1, 1, 0), UINT64_MAX, FAULT_BADADDR, 0, UINT64_MAX},
		{I(ST, 1, 2, 1, 0), VM_ADDR_IMAGE, FAULT_BADADDR, 0, VM_ADDR_IMAGE},
		{I(ST, 1, 2, 8, SCRATCH_BYTES - 7), VM_ADDR_SCRATCH, FAULT_BADADDR, 0,
		 VM_ADDR_SCRATCH + SCRATCH_BYTES - 7},
		{I(ST, 1, 2, 8, 0), VM_ADDR_NAMES, FAULT_BADADDR, 0, VM_ADDR_NAMES},
		{I(ST, 1, 2, 8, 8), 0, FAULT_BADADDR, 0, 8},
		{I(ULD, 0, 1, 1, 0), WORLD_BASE, FAULT_NONE, 0x80, 0},
		{I(ULD, 0, 1, 1 | ISA_SIGNED, 0), WORLD_BASE, FAULT_NONE, S(-128), 0},
		{I(ULD, 0, 1, 2, 1), WORLD_BASE, FAULT_NONE, 0xfeff, 0},
		{I(ULD, 0, 1, 2 | ISA_SIGNED, 1), WORLD_BASE, FAULT_NONE, S(-257), 0},
		{I(ULD, 0, 1, 4 | ISA_SIGNED, 0), WORLD_BASE, FAULT_NONE,
		 S((int32_t)0x81feff80), 0},
		{I(ULD, 0, 1, 8, 0), WORLD_BASE, FAULT_NONE, 0x8403020181feff80, 0},
		{I(ULD, 0, 1, 8 | ISA_SIGNED, 0), WORLD_BASE, FAULT_NONE,
		 0x8403020181feff80, 0},
		{I(ULD, 0, 1, 4, 0), 0, FAULT_BADADDR, 0, 0},
		{I(ULD, 0, 1, 4, -2), end, FAULT_BADADDR, 0, end},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outcome o = run(cases[i].i, cases[i].x, 9);

		if (o.fault != cases[i].fault || o.value != cases[i].value ||
		    o.address != cases[i].address)
			fail_msg("case %zu: fault %d value %llx address %llx", i,
				 o.fault, (unsigned long long)o.value,
				 (unsigned long long)o.address);
	}
}

/* Scratch memory can be written and read back, also beyond what copyin() took. */
static void test_scratch(void **state)
{
	static const struct {
		uint8_t size;
		bool is_signed;
		int32_t offset;
		uint64_t stored, loaded;
		int32_t fault;
	} cases[] = {
		{1, false, 0, 0x1ff, 0xff, FAULT_NONE},
		{1, true, 15, 0x1ff, UINT64_MAX, FAULT_NONE},
		{2, false, 14, 0x12345, 0x2345, FAULT_NONE},
		{4, true, 4, 0x80000000, 0xffffffff80000000, FAULT_NONE},
		{8, false, 8, 0x0102030405060708, 0x0102030405060708, FAULT_NONE},
		{8, false, 9, 7, 7, FAULT_NONE},
		{1, false, 16, 7, 7, FAULT_NONE},
		{8, false, SCRATCH_BYTES - 8, 7, 7, FAULT_NONE},
		{8, false, SCRATCH_BYTES - 7, 0, 0, FAULT_BADADDR},
		{1, false, -1, 0, 0, FAULT_BADADDR},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_new();
		unsigned access =
			cases[i].size | (cases[i].is_signed ? ISA_SIGNED : 0u);
		uint32_t base = build_constant(b, WORLD_BASE);
		uint32_t stored = build_constant(b, cases[i].stored);
		const insn_t code[] = {
			I(LC, 1, 0, 0, base),
			I(LI, 2, 0, 0, 16),
			I(CALL, 3, 1, 2, SUBR_copyin),
			I(LC, 4, 0, 0, stored),
			I(ST, 3, 4, cases[i].size, cases[i].offset),
			I(LD, 5, 3, access, cases[i].offset),
			I(TUP, 0, 0, 0, 0),
			I(TPI, 5, 0, 8, 0),
			I(REC, 0, 0, 0, 0),
			I(END, 0, 0, 0, 0),
		};
		struct outcome o;
		struct rig *r;

		build_field(b, field_int(8, false));
		build_action(b, ACTION_trace, 1);
		build_clause(b, code, ARRAY_LEN(code));
		r = rig_new(b);
		rig_fire(r);
		o = take_outcome(r);
		assert_int_equal(o.fault, cases[i].fault);
		assert_true(o.value == cases[i].loaded);
		if (o.fault == FAULT_BADADDR)
			assert_true(o.address ==
				    VM_ADDR_SCRATCH +
					    (uint64_t)(int64_t)cases[i].offset);
		rig_free(r);
	}
}

static void test_string_compare(void **state)
{
	static const struct {
		const char *x, *y; /* NULL: address 0 */
		uint32_t strsize;
		int64_t order;
	} cases[] = {
		{"abc", "abc", 256, 0}, {"abc", "abd", 256, -1}, {"b", "abc", 256, 1},
		{"ab", "abc", 256, -1}, {"abc", "ab", 256, 1},	 {"", NULL, 256, 0},
		{NULL, NULL, 256, 0},	{"a", NULL, 256, 1},	 {NULL, "a", 256, -1},
		{"abcd", "abce", 3, 0}, {"\x80", "a", 256, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_new();
		uint32_t x = cases[i].x ? build_string(b, cases[i].x) : 0;
		uint32_t y = cases[i].y ? build_string(b, cases[i].y) : 0;
		const insn_t code[] = {
			cases[i].x ? I(LS, 1, 0, 0, x) : I(LI, 1, 0, 0, 0),
			cases[i].y ? I(LS, 2, 0, 0, y) : I(LI, 2, 0, 0, 0),
			I(SCMP, 0, 1, 2, 0),
			I(TUP, 0, 0, 0, 0),
			I(TPI, 0, 0, 8, 0),
			I(REC, 0, 0, 0, 0),
			I(END, 0, 0, 0, 0),
		};
		struct outcome o;
		struct rig *r;

		b->strsize = cases[i].strsize;
		build_field(b, field_int(8, true));
		build_action(b, ACTION_trace, 1);
		build_clause(b, code, ARRAY_LEN(code));
		r = rig_new(b);
		rig_fire(r);
		o = take_outcome(r);
		assert_int_equal(o.fault, FAULT_NONE);
		if (o.value != S(cases[i].order))
			fail_msg("case %zu: %lld", i, (long long)o.value);
		rig_free(r);
	}
	assert_int_equal(run(I(SCMP, 0, 1, 2, 0), WORLD_BASE, 0).fault, FAULT_BADADDR);
}

static void test_builtins(void **state)
{
	const struct {
		insn_t i;
		uint64_t x;
		int32_t fault;
		uint64_t value;
	} cases[] = {
		{I(BI, 0, 0, 0, BUILTIN_arg0), 0, FAULT_NONE, 0},
		{I(BI, 0, 0, 0, BUILTIN_probeprov), 0, FAULT_NONE, VM_ADDR_NAMES + 1},
		{I(BI, 0, 0, 0, BUILTIN_probename), 0, FAULT_NONE, VM_ADDR_NAMES + 15},
		{I(BI, 0, 0, 0, BUILTIN_id), 0, FAULT_NONE, 7},
		{I(BI, 0, 0, 0, BUILTIN_epid), 0, FAULT_NONE, 1},
		{I(BI, 0, 0, 0, BUILTIN_errno), 0, FAULT_NONE, 100 + BUILTIN_errno},
		{I(BI, 0, 0, 0, BUILTIN_caller), 0, FAULT_NONE, 0},
		{I(BI, 0, 0, 0, BUILTIN_stackdepth), 0, FAULT_NONE, 0},
		{I(BI, 0, 0, 0, BUILTIN_pid), 0, FAULT_NONE, 100 + BUILTIN_pid},
		{I(BI, 0, 0, 0, BUILTIN_timestamp), 0, FAULT_NONE, 1},
		{I(BI, 0, 0, 0, BUILTIN_ucaller), 0, FAULT_BADADDR, 0},
		{I(BIX, 0, 1, 0, BUILTIN_uregs), 5, FAULT_NONE, 1005},
		{I(BIX, 0, 1, 0, BUILTIN_uregs), 8, FAULT_ILLOP, 0},
		{I(BIX, 0, 1, 0, BUILTIN_uregs), UINT64_MAX, FAULT_ILLOP, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outcome o = run(cases[i].i, cases[i].x, 0);

		if (o.fault != cases[i].fault || o.value != cases[i].value)
			fail_msg("case %zu: fault %d value %llx", i, o.fault,
				 (unsigned long long)o.value);
	}
}

/* An instruction that no test image has is one that no one runs. */
static void test_every_opcode_is_run(void **state)
{
	size_t size;
	void *image = build_everything(&size);
	const insn_t *code = program_section(image, SECTION_CODE);
	bool found[OP_COUNT] = {false};

	(void)state;
	for (uint32_t i = 0; i < program_count(image, SECTION_CODE); i++)
		found[isa_op(code[i])] = true;
	for (uint32_t op = 0; op < OP_COUNT; op++)
		if (!found[op])
			fail_msg("opcode %u is not in the image of everything", op);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_comparisons),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_scratch),
		cmocka_unit_test(test_string_compare),
		cmocka_unit_test(test_builtins),
		cmocka_unit_test(test_every_opcode_is_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
