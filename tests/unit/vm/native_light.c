/* SPDX-License-Identifier: MIT */
/* Light routines: which clauses have one, what it saves, when it leaves unfinished. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/native_pair.h"
#include "vm/block/layout.h"
#include "vm/native/translation.h"

/* isa_encode() as a constant, for tables. */
#undef I
#define I(op, a, b, c, imm)                                                            \
	((insn_t)OP_##op | (insn_t)(a) << 8 | (insn_t)(b) << 16 | (insn_t)(c) << 24 |  \
	 (insn_t)(uint32_t)(imm) << 32)
#define DONE	      I(END, 0, 0, 0, 0)
#define ARG(r, n)     I(BI, r, 0, 0, BUILTIN_arg0 + (n))
#define LOAD(r, name) I(BI, r, 0, 0, BUILTIN_##name)
#define NUMBER(r, n)  I(LI, r, 0, 0, n)
#define TUPLE	      I(TUP, 0, 0, 0, 0)
#define KEY(r)	      I(TPI, r, 0, 8, 0)
#define UREG(r, n)    NUMBER(r, n), I(BIX, r, r, 0, BUILTIN_uregs)
#define GONE(r)	      I(CALL, r, 0, 0, SUBR_local_gone)
#define PUSH(r, size) I(TPI, r, 0, size, 0)
#define TEXT(r)	      I(TPS, r, 0, 0, 0)
#define RECORD(name)  I(REC, 0, 0, 0, ACTION_##name)
#define TRACE(r)      TUPLE, KEY(r), RECORD(INT)
/* /rA == N/: jumps over the next so many instructions. */
#define ONLY_IF(r, n, over) NUMBER(9, n), I(SEQ, 9, r, 9, 0), I(JZ, 9, 0, 0, over)

enum { G0, T0, SELF, ARRAY };
enum { COUNT, SUM, QUANTIZE, STDDEV, COUNT8, SUM2 };
enum { ACTION_INT, ACTION_MIX, ACTION_TEXTS };
enum { STR_EMPTY, STR_SHORT = 1 };

static struct builder *builder_with_tables(void)
{
	struct builder *b = builder_new();
	const struct program_field integer = field_int(8, true);

	assert_int_equal(build_string(b, "short"), STR_SHORT);
	build_var(b, SCOPE_GLOBAL, integer, 0);
	build_var(b, SCOPE_THIS, integer, 0);
	build_var(b, SCOPE_SELF, integer, 0);
	build_field(b, integer);
	build_var(b, SCOPE_ARRAY, integer, 1);
	build_agg(b, AGG_count, 0, 1, 0);
	build_agg(b, AGG_sum, 0, 1, 0);
	build_agg(b, AGG_quantize, 0, agg_words(AGG_quantize, 0), 0);
	build_agg(b, AGG_stddev, 0, agg_words(AGG_stddev, 0), 0);
	build_field(b, integer);
	build_agg(b, AGG_count, 0, 1, 1);
	build_field(b, integer);
	build_field(b, integer);
	build_agg(b, AGG_sum, 0, 1, 2);
	build_field(b, integer);
	assert_int_equal(build_action(b, ACTION_trace, 1), ACTION_INT);
	build_field(b, field_int(4, true));
	build_field(b, field_string(b->strsize));
	build_field(b, integer);
	assert_int_equal(build_action(b, ACTION_printf, 3), ACTION_MIX);
	for (int i = 0; i < 3; i++)
		build_field(b, field_string(b->strsize));
	assert_int_equal(build_action(b, ACTION_printf, 3), ACTION_TEXTS);
	return b;
}

#define ROW_INSNS 28

/* Bits of registers, for tables. */
#define RBX (1u << X86_RBX)
#define RDX (1u << X86_RDX)
#define RSI (1u << X86_RSI)
#define RBP (1u << X86_RBP)
#define R8  (1u << X86_R8)
#define R9  (1u << X86_R9)
#define R10 (1u << X86_R10)
#define R11 (1u << X86_R11)
#define R12 (1u << X86_R12)
#define R13 (1u << X86_R13)

/* Small limits make chunks too small for a record of several names. */
#define MUCH_TEXT (CHUNK_BYTES < 1024 ? LIGHT_NEVER : LIGHT_IS)

struct row {
	const char *what;
	enum light_verdict verdict; /* of an entry, that of a return is the same */
	unsigned saved;		    /* registers, at an entry */
	bool finishes;		    /* some firings */
	insn_t code[ROW_INSNS];
};

static const struct row rows[] = {
	{"nothing", LIGHT_IS, R11, true, {DONE}},
	{"arg0", LIGHT_IS, R10 | R11, true, {ARG(0, 0)}},
	{"arg1", LIGHT_IS, RSI | R10 | R11, true, {ARG(0, 1)}},
	{"arg2", LIGHT_IS, RDX | R10 | R11, true, {ARG(0, 2)}},
	{"x = arg0", LIGHT_IS, R10 | R11, true, {ARG(0, 0), I(STG, 0, 0, 0, G0)}},
	{"x++",
	 LIGHT_IS,
	 R10 | R11,
	 true,
	 {I(LDG, 0, 0, 0, G0), I(ADDI, 0, 0, 0, 1), I(STG, 0, 0, 0, G0)}},
	{"x = arg0 * this->t / 10, of high registers",
	 LIGHT_IS,
	 RDX | R11,
	 true,
	 {ARG(20, 0), I(STT, 20, 0, 0, T0), I(LDT, 21, 0, 0, T0), NUMBER(22, 10),
	  I(MUL, 20, 20, 21, 0), I(DIVU, 20, 20, 22, 0), I(STG, 20, 0, 0, G0)}},
	{"five registers",
	 LIGHT_IS,
	 RBP | RBX | R10 | R11 | R12 | R13,
	 true,
	 {ARG(0, 0), ARG(1, 0), ARG(2, 0), ARG(3, 0), ARG(4, 0), I(ADD, 0, 0, 1, 0),
	  I(ADD, 0, 0, 2, 0), I(ADD, 0, 0, 3, 0), I(ADD, 0, 0, 4, 0),
	  I(STG, 0, 0, 0, G0)}},
	{"if (arg0 == 5) x = arg0 == 5",
	 LIGHT_IS,
	 RBP | RBX | R10 | R11,
	 true,
	 {ARG(0, 0), NUMBER(1, 5), I(SEQ, 2, 0, 1, 0), I(JZ, 2, 0, 0, 1),
	  I(STG, 2, 0, 0, G0)}},
	{"x = arg0 == 5 ? 7 : 0",
	 LIGHT_IS,
	 RBP | RBX | R10 | R11,
	 true,
	 {ARG(0, 0), NUMBER(1, 5), I(SEQ, 2, 0, 1, 0), I(JZ, 2, 0, 0, 1), NUMBER(2, 7),
	  I(STG, 2, 0, 0, G0)}},
	{"if (!(arg0 < 5)) x = 1, else x = 2",
	 LIGHT_IS,
	 RBP | RBX | R10 | R11,
	 true,
	 {ARG(0, 0), NUMBER(1, 5), I(SLTU, 2, 0, 1, 0), I(JNZ, 2, 0, 0, 3),
	  NUMBER(2, 1), I(STG, 2, 0, 0, G0), I(JMP, 0, 0, 0, 2), NUMBER(2, 2),
	  I(STG, 2, 0, 0, G0)}},
	{"x = id", LIGHT_IS, R10 | R11, true, {LOAD(0, id), I(STG, 0, 0, 0, G0)}},
	{"x = tid + pid",
	 LIGHT_IS,
	 RBX | R10 | R11,
	 true,
	 {LOAD(0, tid), LOAD(1, pid), I(ADD, 0, 0, 1, 0), I(STG, 0, 0, 0, G0)}},
	{"/arg0 == 5/ sum(arg0)",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {ARG(0, 0), ONLY_IF(0, 5, 2), TUPLE, I(AGGR, 0, 0, 0, SUM)}},
	{"quantize(arg0)",
	 LIGHT_IS,
	 RDX | RSI | R8 | R10 | R11,
	 true,
	 {ARG(0, 0), NUMBER(1, 1), TUPLE, I(AGGR, 0, 1, 0, QUANTIZE)}},
	{"@[arg0] = count()",
	 LIGHT_IS,
	 RDX | R9 | R10 | R11,
	 true,
	 {ARG(0, 0), TUPLE, KEY(0), I(AGGR, 0, 0, 0, COUNT8)}},
	{"self->n += arg0",
	 LIGHT_IS,
	 RBX | RDX | R10 | R11,
	 true,
	 {ARG(0, 0), TUPLE, I(LDD, 1, 0, 1, SELF), I(ADD, 1, 1, 0, 0),
	  I(STD, 1, 0, 0, SELF)}},
	{"/arg0 == 5/ trace(arg0)",
	 LIGHT_IS,
	 RDX | R10 | R11 | R13,
	 true,
	 {ARG(0, 0), ONLY_IF(0, 5, 3), TRACE(0)}},
	{"trace(arg0)", LIGHT_IS, RDX | R10 | R11 | R13, true, {ARG(0, 0), TRACE(0)}},
	{"a record of nothing", LIGHT_IS, RDX | R11 | R13, true, {I(RECE, 0, 0, 0, 0)}},
	{"printf(arg0, probefunc, 7)",
	 LIGHT_IS,
	 RDX | RSI | R8 | R10 | R11 | R13,
	 true,
	 {TUPLE, ARG(0, 0), PUSH(0, 4), LOAD(1, probefunc), TEXT(1), NUMBER(0, 7),
	  KEY(0), RECORD(MIX)}},
	{"names and texts, and then a number",
	 MUCH_TEXT,
	 RDX | RSI | R8 | R10 | R11 | R13,
	 true,
	 {TUPLE, LOAD(0, probemod), TEXT(0), I(LS, 0, 0, 0, STR_SHORT), TEXT(0),
	  LOAD(0, probename), TEXT(0), RECORD(TEXTS), TUPLE, I(LS, 0, 0, 0, STR_EMPTY),
	  TEXT(0), I(LS, 0, 0, 0, STR_SHORT), TEXT(0), LOAD(0, probeprov), TEXT(0),
	  RECORD(TEXTS), ARG(0, 0), TRACE(0)}},
	{"if (arg0 & 1) trace(arg0); else trace(-1), trace(id)",
	 LIGHT_IS,
	 RBX | RDX | RSI | R10 | R11 | R13,
	 true,
	 {ARG(0, 0), NUMBER(1, 1), I(AND, 1, 1, 0, 0), I(JZ, 1, 0, 0, 4), TRACE(0),
	  I(JMP, 0, 0, 0, 8), NUMBER(1, -1), TRACE(1), ARG(1, 1), TRACE(1)}},
	{"if (arg0 & 1) trace(arg0); trace(arg0 & 1)",
	 LIGHT_IS,
	 RBX | RDX | R10 | R11 | R13,
	 true,
	 {ARG(0, 0), NUMBER(1, 1), I(AND, 1, 1, 0, 0), I(JZ, 1, 0, 0, 3), TRACE(0),
	  TRACE(1)}},
	{"printf(arg0 & 1 ? arg0 : 7, probefunc, self->n), self->n = 5",
	 LIGHT_IS,
	 RBX | RDX | RSI | R8 | R10 | R11 | R13,
	 true,
	 {ARG(0, 0), TUPLE, NUMBER(1, 1), I(AND, 1, 1, 0, 0), I(JZ, 1, 0, 0, 2),
	  I(MOV, 1, 0, 0, 0), I(JMP, 0, 0, 0, 1), NUMBER(1, 7), PUSH(1, 4),
	  LOAD(0, probefunc), TEXT(0), TUPLE, I(LDD, 0, 0, 0, SELF), KEY(0),
	  RECORD(MIX), NUMBER(0, 5), TUPLE, I(STD, 0, 0, 0, SELF)}},
	{"trace(timestamp), trace(arg0); x++",
	 LIGHT_IS,
	 RBX | RDX | R10 | R11 | R13,
	 true,
	 {LOAD(0, timestamp), TRACE(0), I(LDG, 1, 0, 0, G0), I(ADDI, 1, 1, 0, 1),
	  I(STG, 1, 0, 0, G0)}},
	{"trace(arg0), sum(arg0)",
	 LIGHT_IS,
	 RDX | R10 | R11 | R13,
	 true,
	 {ARG(0, 0), TRACE(0), TUPLE, I(AGGR, 0, 0, 0, SUM)}},
	{"trace(arg0), then a word of the stack",
	 LIGHT_IS,
	 RDX | R10 | R11 | R13,
	 true,
	 {ARG(0, 0), TRACE(0), UREG(0, REGS_UREG_SP), I(ULD, 0, 0, 4, 8), TRACE(0)}},
	{"self->n = arg0",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {ARG(0, 0), TUPLE, I(STD, 0, 0, 0, SELF)}},
	{"self->n = arg0 & 1 ? 0 : arg0",
	 LIGHT_HALF,
	 0,
	 false,
	 {ARG(0, 0), NUMBER(1, 1), I(AND, 1, 1, 0, 0), I(JZ, 1, 0, 0, 3), NUMBER(2, 0),
	  TUPLE, I(STD, 2, 0, 0, SELF), TUPLE, I(STD, 0, 0, 0, SELF)}},
	{"arg0 & 1: self->n = arg0; else self->n: sum(self->n), self->n = 0",
	 LIGHT_IS,
	 RBX | RDX | R10 | R11,
	 true,
	 {ARG(0, 0), NUMBER(1, 1), I(AND, 1, 1, 0, 0), I(JZ, 1, 0, 0, 3), TUPLE,
	  I(STD, 0, 0, 0, SELF), I(JMP, 0, 0, 0, 10), TUPLE, I(LDD, 0, 0, 0, SELF),
	  I(JZ, 0, 0, 0, 7), TUPLE, I(LDD, 0, 0, 0, SELF), TUPLE, I(AGGR, 0, 0, 0, SUM),
	  NUMBER(0, 0), TUPLE, I(STD, 0, 0, 0, SELF)}},
	{"self->n = timestamp",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {LOAD(0, timestamp), TUPLE, I(STD, 0, 0, 0, SELF)}},
	{"x = timestamp / 2, timestamp again",
	 LIGHT_IS,
	 RBX | RDX | R10 | R11,
	 true,
	 {LOAD(0, timestamp), LOAD(1, timestamp), I(ADD, 0, 0, 1, 0),
	  I(STG, 0, 0, 0, G0)}},
	{"timestamp on one of two ways, then on both",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {ARG(0, 0), ONLY_IF(0, 5, 1), LOAD(0, timestamp), LOAD(0, timestamp),
	  I(STG, 0, 0, 0, G0)}},
	{"/arg0 == 5/ x = timestamp",
	 LIGHT_IS,
	 RBX | RDX | R10 | R11,
	 true,
	 {ARG(0, 0), ONLY_IF(0, 5, 2), LOAD(1, timestamp), I(STG, 1, 0, 0, G0)}},
	{"/arg0 == 5/ array[arg0]++, else x = arg0",
	 LIGHT_IS,
	 RSI | R10 | R11,
	 true,
	 {ARG(0, 0), ONLY_IF(0, 5, 6), TUPLE, KEY(0), I(LDD, 1, 0, 1, ARRAY),
	  I(ADDI, 1, 1, 0, 1), I(STD, 1, 0, 0, ARRAY), I(JMP, 0, 0, 0, 1),
	  I(STG, 0, 0, 0, G0)}},
	{"a register that the routine does not write",
	 LIGHT_IS,
	 R10 | R11,
	 true,
	 {UREG(0, 8), I(STG, 0, 0, 0, G0), UREG(0, 0), I(STG, 0, 0, 0, G0), UREG(0, 1),
	  I(STG, 0, 0, 0, G0)}},
	{"registers that it writes, and that are aside",
	 LIGHT_IS,
	 RBX | RBP | R10 | R11 | R12 | R13,
	 true,
	 {UREG(0, 11), UREG(1, 10), I(ADD, 0, 0, 1, 0), UREG(2, 14), UREG(3, 13),
	  I(SUB, 2, 2, 3, 0), I(XOR, 0, 0, 2, 0), UREG(4, 3), I(ADD, 0, 0, 4, 0),
	  I(STG, 0, 0, 0, G0)}},
	{"pc",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {UREG(0, REGS_UREG_PC), I(STG, 0, 0, 0, G0)}},
	{"the place",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {UREG(0, REGS_UREG_PLACE), I(STG, 0, 0, 0, G0)}},
	{"sp", LIGHT_IS, R10 | R11, true, {UREG(0, REGS_UREG_SP), I(STG, 0, 0, 0, G0)}},
	{"a word of the stack",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {UREG(0, REGS_UREG_SP), I(ULD, 0, 0, 4, 8), I(STG, 0, 0, 0, G0)}},
	{"a word across the end of the stack, or not",
	 LIGHT_IS,
	 RDX | R10 | R11,
	 true,
	 {UREG(0, REGS_UREG_SP), I(ULD, 0, 0, 4, 5), I(STG, 0, 0, 0, G0)}},
	{"a word below the stack pointer, if arg0",
	 LIGHT_IS,
	 RDX | RBX | R10 | R11,
	 true,
	 {ARG(0, 0), I(JZ, 0, 0, 0, 4), UREG(1, REGS_UREG_SP), I(ULD, 1, 1, 2, -16),
	  I(STG, 1, 0, 0, G0)}},
	{"a local that is gone if arg0 is 5",
	 LIGHT_IS,
	 R10 | R11,
	 true,
	 {ARG(0, 0), ONLY_IF(0, 5, 1), GONE(0), I(STG, 0, 0, 0, G0)}},
	/* Refused. */
	{"x = vtimestamp", LIGHT_NEVER, 0, false, {LOAD(0, vtimestamp)}},
	{"gone", LIGHT_NEVER, 0, false, {GONE(0)}},
	{"flags", LIGHT_NEVER, 0, false, {UREG(0, 19)}},
	{"an update, then a load",
	 LIGHT_HALF,
	 0,
	 false,
	 {ARG(0, 0), TUPLE, I(AGGR, 0, 0, 0, SUM), UREG(1, REGS_UREG_SP),
	  I(ULD, 1, 1, 8, 0)}},
	{"x++, trace(x)",
	 LIGHT_HALF,
	 0,
	 false,
	 {I(LDG, 0, 0, 0, G0), I(ADDI, 0, 0, 0, 1), I(STG, 0, 0, 0, G0), TRACE(0)}},
	{"trace(walltimestamp)",
	 LIGHT_NEVER,
	 0,
	 false,
	 {LOAD(0, walltimestamp), TRACE(0)}},
	{"stddev(arg0)",
	 LIGHT_NEVER,
	 0,
	 false,
	 {ARG(0, 0), TUPLE, I(AGGR, 0, 0, 0, STDDEV)}},
	{"@[arg0, 1] = sum(arg0)",
	 LIGHT_NEVER,
	 0,
	 false,
	 {ARG(0, 0), NUMBER(1, 1), TUPLE, KEY(0), KEY(1), I(AGGR, 0, 0, 0, SUM2)}},
	{"epid", LIGHT_NEVER, 0, false, {LOAD(0, epid)}},
	{"both ways of an if need a call",
	 LIGHT_NEVER,
	 0,
	 false,
	 {ARG(0, 0), I(JZ, 0, 0, 0, 2), LOAD(1, walltimestamp), I(JMP, 0, 0, 0, 1),
	  LOAD(1, vtimestamp)}},
	{"x = 1; y = timestamp",
	 LIGHT_HALF,
	 0,
	 false,
	 {NUMBER(0, 1), I(STG, 0, 0, 0, G0), LOAD(0, timestamp)}},
	{"two updates",
	 LIGHT_HALF,
	 0,
	 false,
	 {ARG(0, 0), TUPLE, I(AGGR, 0, 0, 0, COUNT), TUPLE, I(AGGR, 0, 0, 0, SUM)}},
	{"an update if arg0, a call after it",
	 LIGHT_HALF,
	 0,
	 false,
	 {ARG(0, 0), I(JZ, 0, 0, 0, 2), TUPLE, I(AGGR, 0, 0, 0, SUM), ARG(1, 1),
	  I(JZ, 1, 0, 0, 1), LOAD(1, timestamp)}},
	{"x++, then self->n",
	 LIGHT_HALF,
	 0,
	 false,
	 {I(LDG, 0, 0, 0, G0), I(STG, 0, 0, 0, G0), TUPLE, I(LDD, 1, 0, 0, SELF)}},
	{"x = id, twice",
	 LIGHT_HALF,
	 0,
	 false,
	 {LOAD(0, id), I(STG, 0, 0, 0, G0), LOAD(0, id), I(STG, 0, 0, 0, G0)}},
};

static void add_clause(struct builder *b, const insn_t *code)
{
	uint32_t n = 0;

	while (code[n] != DONE)
		n++;
	build_clause(b, code, n + 1);
}

static void *image_of(const struct row *row, size_t *size)
{
	struct builder *b = builder_with_tables();

	add_clause(b, row->code);
	return build_image(b, size);
}

static struct x86_code code;

static enum light_verdict verdict_of(const void *image, bool is_return,
				     bool has_routine)
{
	const uint32_t clause = 0;
	const struct light_request request = {
		.image = image,
		.clauses = {&clause, 1},
		.site = is_return ? NATIVE_AT_RETURN : NATIVE_AT_ENTRY,
		.has_routine = has_routine,
		.name_most = 16,
	};
	struct native_light parts;

	return light_translate(&request, &code, &parts);
}

static void test_verdicts(void **state)
{
	const unsigned aside = 1u << X86_RAX | 1u << X86_RCX;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		size_t size;
		void *image = image_of(row, &size);

		if (verdict_of(image, true, true) != row->verdict ||
		    verdict_of(image, false, true) != row->verdict)
			fail_msg("%s: another verdict: %d", row->what,
				 (int)verdict_of(image, false, true));
		if (row->verdict == LIGHT_IS && (code.written & ~aside) != row->saved)
			fail_msg("%s: saves %x", row->what, code.written & ~aside);
		free(image);
	}
}

/* Nobody would find the elements of a probe that has no routine. */
static void test_unlearnt(void **state)
{
	static const char *const learners[] = {"/arg0 == 5/ sum(arg0)",
					       "quantize(arg0)",
					       "@[arg0] = count()",
					       "self->n += arg0",
					       "self->n = arg0",
					       "trace(arg0), sum(arg0)",
					       ("printf(arg0 & 1 ? arg0 : 7, "
						"probefunc, self->n), self->n = 5"),
					       ("arg0 & 1: self->n = arg0; else "
						"self->n: sum(self->n), self->n = 0"),
					       "self->n = timestamp"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		enum light_verdict wanted = rows[i].verdict;
		size_t size;
		void *image = image_of(&rows[i], &size);

		for (size_t k = 0; k < ARRAY_LEN(learners); k++)
			if (!strcmp(learners[k], rows[i].what))
				wanted = LIGHT_UNLEARNT;
		if (verdict_of(image, false, false) != wanted)
			fail_msg("%s without a routine", rows[i].what);
		free(image);
	}
}

static void test_long(void **state)
{
	struct builder *b = builder_with_tables();
	insn_t many[BUILDER_MAX - 2] = {ARG(20, 0)};
	size_t size, n = ARRAY_LEN(many);
	void *image;

	(void)state;
	for (size_t k = 1; k < n - 1; k++)
		many[k] = I(MUL, 20, 20, 20, 0);
	many[n - 1] = DONE;
	build_clause(b, many, (uint32_t)n);
	image = build_image(b, &size);
	assert_int_equal(verdict_of(image, false, true), LIGHT_LONG);
	free(image);
}

/* More ways out than are noted. */
static void test_exits(void **state)
{
	static const struct {
		uint32_t n;
		enum light_verdict verdict;
	} cases[] = {{EXITS_MAX, LIGHT_IS}, {EXITS_MAX + 1, LIGHT_HALF}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_with_tables();
		insn_t many[EXITS_MAX + 2] = {0};
		size_t size;
		void *image;

		for (uint32_t k = 0; k < cases[i].n; k++)
			many[k] = LOAD(0, id);
		many[cases[i].n] = DONE;
		build_clause(b, many, cases[i].n + 1);
		image = build_image(b, &size);
		assert_int_equal(verdict_of(image, false, true), cases[i].verdict);
		free(image);
	}
}

/* An element must be in one piece; a histogram is not where limits are small. */
static bool may_finish(const struct row *row)
{
	const size_t histogram = 127 * sizeof(uint64_t);

	return row->finishes && row->verdict != LIGHT_NEVER &&
	       (CHUNK_BYTES > 2 * histogram ||
		strcmp(row->what, "quantize(arg0)") != 0);
}

/* Beside the interpreter, in random registers: some firings finish if they can. */
static void test_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows) * 2; i++) {
		const struct row *row = &rows[i / 2];
		struct native_pair_firing f = {.is_return = i % 2};
		size_t size;
		void *image = image_of(row, &size);
		struct state_config config = rig_config(image);
		struct native_pair *p;

		if (f.is_return) /* a slot keeps some of it for the next elements */
			config.dynvarsize = 1 << 20;
		p = native_pair_of(image, size, &config);
		if (native_pair_has_light(p, i % 2) != (row->verdict == LIGHT_IS))
			fail_msg("%s: has it a light routine?", row->what);
		for (uint64_t k = 0; k < 200; k++) {
			f.probe = k / 7 % NATIVE_PAIR_PROBES;
			f.thread = k / 5 % NATIVE_PAIR_THREADS;
			for (uint64_t a = 0; a < NATIVE_PAIR_ARGS; a++)
				f.args[a] = (k * (a + 3)) % 8;
			if (k % 50 == 49)
				native_pair_event(p, PAIR_RENEW, 0);
			if (k % 30 == 29)
				native_pair_event(p, PAIR_READ, f.thread);
			native_pair_fire(p, &f);
			if (native_pair_difference(p))
				fail_msg("%s, firing %u: %s", row->what, (unsigned)k,
					 native_pair_difference(p));
		}
		if ((native_pair_finished(p) > 20) != may_finish(row))
			fail_msg("%s: %u firings finished", row->what,
				 native_pair_finished(p));
		native_pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts), cmocka_unit_test(test_unlearnt),
		cmocka_unit_test(test_long),	 cmocka_unit_test(test_exits),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
