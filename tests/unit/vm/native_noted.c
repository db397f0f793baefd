/* SPDX-License-Identifier: MIT */
/*
 * Light routines of sites with a note: for each form of an operand the routine reads what
 * the interpreter is told, or there is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/native_pair.h"
#include "vm/native/x86.h"

/* isa_encode() as a constant, for tables. */
#undef I
#define I(op, a, b, c, imm)                                                            \
	((insn_t)OP_##op | (insn_t)(a) << 8 | (insn_t)(b) << 16 | (insn_t)(c) << 24 |  \
	 (insn_t)(uint32_t)(imm) << 32)

enum { SUM };

/* @ = sum(argN) of one clause. */
static struct builder *program(uint32_t index)
{
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0 + index),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, SUM),
		I(END, 0, 0, 0, 0),
	};
	struct builder *b = builder_new();

	build_agg(b, AGG_sum, 0, 1, 0);
	build_clause(b, code, ARRAY_LEN(code));
	return b;
}

static struct native_pair *pair_of(uint32_t index, const struct probe_operands *sets,
				   uint32_t n)
{
	struct builder *b = program(index);
	struct state_config config;
	size_t size;
	void *image = build_image(b, &size);

	config = rig_config(image);
	return native_pair_noted(image, size, &config, sets, n);
}

#define REG PROBE_OPERAND_NO_REG
/* The displacement, as its halves. */
#define DISP(v)                                                                        \
	{                                                                              \
		(uint32_t)(uint64_t)(v), (uint32_t)((uint64_t)(v) >> 32)               \
	}
#define IN(r, bytes, sign)                                                             \
	{                                                                              \
		.kind = PROBE_OPERAND_REGISTER, .base = (r), .index = REG,             \
		.size = (bytes), .is_signed = (sign)                                   \
	}
#define AT(v, b, i, s, bytes, sign)                                                    \
	{                                                                              \
		.kind = PROBE_OPERAND_MEMORY, .disp = DISP(v), .base = (b),            \
		.index = (i), .scale = (s), .size = (bytes), .is_signed = (sign)       \
	}
#define JUST(v, bytes, sign)                                                           \
	{                                                                              \
		.kind = PROBE_OPERAND_CONSTANT, .disp = DISP(v), .size = (bytes),      \
		.is_signed = (sign)                                                    \
	}

struct row {
	const char *what;
	bool is_light;
	struct probe_operand operand;
};

static const struct row rows[] = {
	{"8@$0x123456789abcdef0", true, JUST(0x123456789abcdef0, 8, false)},
	{"-4@$-5", true, JUST(-5, 4, true)},
	{"4@$-5", true, JUST(-5, 4, false)},
	{"-1@$255", true, JUST(255, 1, true)},
	{"-2@$0x18000", true, JUST(0x18000, 2, true)},
	{"8@%rax", true, IN(X86_RAX, 8, false)},
	{"-4@%eax", true, IN(X86_RAX, 4, true)},
	{"2@%cx", true, IN(X86_RCX, 2, false)},
	{"-1@%cl", true, IN(X86_RCX, 1, true)},
	{"8@%rdx", true, IN(X86_RDX, 8, false)},
	{"4@%ebx", true, IN(X86_RBX, 4, false)},
	{"8@%rsp", true, IN(X86_RSP, 8, false)},
	{"4@%esp", true, IN(X86_RSP, 4, false)},
	{"-8@%rbp", true, IN(X86_RBP, 8, true)},
	{"-2@%si", true, IN(X86_RSI, 2, true)},
	{"-1@%dil", true, IN(X86_RDI, 1, true)},
	{"-4@%edi", true, IN(X86_RDI, 4, true)},
	{"4@%r8d", true, IN(X86_R8, 4, false)},
	{"-4@%r9d", true, IN(X86_R9, 4, true)},
	{"8@%r10", true, IN(X86_R10, 8, false)},
	{"8@%r11", true, IN(X86_R11, 8, false)},
	{"2@%r12w", true, IN(X86_R12, 2, false)},
	{"-4@%r13d", true, IN(X86_R13, 4, true)},
	{"-4@%r14d", true, IN(X86_R14, 4, true)},
	{"1@%r15b", true, IN(X86_R15, 1, false)},
	{"1@%ah",
	 true,
	 {.kind = PROBE_OPERAND_REGISTER, .base = X86_RAX, .size = 1, .shift = 8}},
	{"-1@%bh",
	 true,
	 {.kind = PROBE_OPERAND_REGISTER,
	  .base = X86_RBX,
	  .size = 1,
	  .shift = 8,
	  .is_signed = true}},
	{"8@(%rsp)", true, AT(0, X86_RSP, REG, 0, 8, false)},
	{"-4@12(%rsp)", true, AT(12, X86_RSP, REG, 0, 4, true)},
	{"-4@-20(%rbp)", true, AT(-20, X86_RBP, REG, 0, 4, true)},
	{"2@6(%rbp)", true, AT(6, X86_RBP, REG, 0, 2, false)},
	{"-1@-1(%rbp)", true, AT(-1, X86_RBP, REG, 0, 1, true)},
	{"8@(%rsp,%rdi,8)", true, AT(0, X86_RSP, X86_RDI, 8, 8, false)},
	{"-2@2(%rsp,%rsi,4)", true, AT(2, X86_RSP, X86_RSI, 4, 2, true)},
	{"1@(%rbp,%rdx)", true, AT(0, X86_RBP, X86_RDX, 1, 1, false)},
	{"4@-8(%rbp,%rcx,2)", true, AT(-8, X86_RBP, X86_RCX, 2, 4, false)},
	{"8@8(%rsp,%r8,8)", true, AT(8, X86_RSP, X86_R8, 8, 8, false)},
	{"a number that no register has", false, IN(16, 8, false)},
	{"8@(%rdi)", false, AT(0, X86_RDI, REG, 0, 8, false)},
	{"8@table", false, AT(0x404040, REG, REG, 0, 8, false)},
	{"8@0x80000000(%rsp)", false, AT(0x80000000, X86_RSP, REG, 0, 8, false)},
	{"8@(%rsp,%rsp)", false, AT(0, X86_RSP, X86_RSP, 1, 8, false)},
	{"8@(%rsp,16)", false, AT(0, X86_RSP, 16, 1, 8, false)},
	{"8@(%rsp,%rdi,3)", false, AT(0, X86_RSP, X86_RDI, 3, 8, false)},
	{"8@%xmm0", false, {.kind = PROBE_OPERAND_VECTOR, .size = 8}},
	{"8@%fs:(%rsp)",
	 false,
	 {.kind = PROBE_OPERAND_MEMORY,
	  .base = X86_RSP,
	  .index = REG,
	  .size = 8,
	  .is_thread_local = true}},
	{"none", false, {.kind = PROBE_OPERAND_NONE}},
};

static struct probe_operands set_of(uint32_t probe, uint32_t index,
				    const struct probe_operand *o)
{
	struct probe_operands set = {.probe = probe};

	set.arg[index] = *o;
	return set;
}

static void fire(struct native_pair *p, uint32_t set, uint32_t probe, uint64_t number)
{
	struct native_pair_firing f = {.probe = probe, .operands = set + 1};

	f.thread = number / 5 % NATIVE_PAIR_THREADS;
	for (uint64_t a = 0; a < NATIVE_PAIR_ARGS; a++)
		f.args[a] = number * (a + 3) % 8;
	native_pair_fire(p, &f);
}

static void check_row(const struct row *row, uint32_t probe)
{
	const uint32_t index = (uint32_t)(row - rows) % PROBE_OPERANDS_MAX;
	const struct probe_operands set = set_of(probe + 1, index, &row->operand);
	struct native_pair *p = pair_of(index, &set, 1);

	if ((native_pair_noted_light(p, 0) != 0) != row->is_light)
		fail_msg("%s: has it a light routine?", row->what);
	for (uint32_t k = 0; k < 200; k++) {
		fire(p, 0, probe, k);
		if (native_pair_difference(p))
			fail_msg("%s, firing %u: %s", row->what, k,
				 native_pair_difference(p));
	}
	if ((native_pair_finished(p) > 5) != row->is_light)
		fail_msg("%s: %u firings finished", row->what, native_pair_finished(p));
	native_pair_free(p);
}

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (uint32_t probe = 0; probe < NATIVE_PAIR_PROBES; probe++)
			check_row(&rows[i], probe);
}

/* One routine for all sites that differ in nothing that a clause reads. */
static void test_shared(void **state)
{
	struct probe_operand rdi = IN(X86_RDI, 8, false), rsi = IN(X86_RSI, 8, false);
	struct probe_operands sets[4];
	struct native_pair *p;

	(void)state;
	sets[0] = set_of(1, 1, &rdi);
	sets[1] = set_of(2, 1, &rdi);
	sets[1].arg[0] = rsi;
	sets[2] = set_of(1, 1, &rsi);
	sets[3] = set_of(1, 0, &rsi);
	p = pair_of(1, sets, ARRAY_LEN(sets));
	assert_int_not_equal(native_pair_noted_light(p, 0), 0);
	assert_int_equal(native_pair_noted_light(p, 0), native_pair_noted_light(p, 1));
	assert_int_not_equal(native_pair_noted_light(p, 2), 0);
	assert_int_not_equal(native_pair_noted_light(p, 0),
			     native_pair_noted_light(p, 2));
	assert_int_equal(native_pair_noted_light(p, 3), 0);
	for (uint32_t k = 0; k < 300; k++) {
		fire(p, k % 3, k % 3 == 1, k);
		assert_null(native_pair_difference(p));
	}
	native_pair_free(p);
}

/* Notes of a program cannot make the code grow without end. */
static void test_most(void **state)
{
	enum { MOST = 4096, SETS = MOST + 100 };
	struct probe_operands *sets = calloc(SETS, sizeof(*sets));
	struct native_pair *p;

	(void)state;
	assert_non_null(sets);
	for (uint32_t i = 0; i < SETS; i++) {
		const struct probe_operand o = JUST(i, 8, false);

		sets[i] = set_of(1 + i % 2, 0, &o);
	}
	p = pair_of(0, sets, SETS);
	for (uint32_t i = 0; i < SETS; i++)
		assert_int_equal(native_pair_noted_light(p, i) != 0, i < MOST);
	for (uint32_t i = MOST - 50; i < MOST + 50; i++) {
		fire(p, i, i % 2, i);
		assert_null(native_pair_difference(p));
	}
	native_pair_free(p);
	free(sets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
