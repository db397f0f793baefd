/* SPDX-License-Identifier: MIT */
/* Routines beside the interpreter: which clauses have one, and that it does the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/native_pair.h"
#include "vm/agg.h"
#include "vm/block/layout.h"

/* isa_encode() as a constant, for tables. */
#undef I
#define I(op, a, b, c, imm)                                                            \
	((insn_t)OP_##op | (insn_t)(a) << 8 | (insn_t)(b) << 16 | (insn_t)(c) << 24 |  \
	 (insn_t)(uint32_t)(imm) << 32)

#define DONE			  I(END, 0, 0, 0, 0)
#define ARG(r, n)		  I(BI, r, 0, 0, BUILTIN_arg0 + (n))
#define LOAD(r, name)		  I(BI, r, 0, 0, BUILTIN_##name)
#define NUMBER(r, n)		  I(LI, r, 0, 0, n)
#define TUPLE			  I(TUP, 0, 0, 0, 0)
#define KEY(r, size)		  I(TPI, r, 0, size, 0)
#define TEXT(r)			  I(TPS, r, 0, 0, 0)
#define UREG(r, n)		  NUMBER(r, n), I(BIX, r, r, 0, BUILTIN_uregs)
#define FETCH(to, from, size, at) I(ULD, to, from, size, at)
#define SIGNED(size)		  ((size) | ISA_SIGNED)
#define GONE(r)			  I(CALL, r, 0, 0, SUBR_local_gone)
#define RECORD(name)		  I(REC, 0, 0, 0, ACTION_##name)
#define TRACE(r)		  TUPLE, KEY(r, 8), RECORD(INT)
#define ADDI5(to, r)		  I(ADDI, to, r, 0, -5) /* 0 if it is 5 */
/* To a global of its own, so that the result of the row can be compared. */
#define SHOW(r, n) I(STG, r, 0, 0, G0 + (n))

/* What every row can use: numbers of variables and aggregations. */
enum { G0, G1, G2, G3, GSTR, GBYTES, T0, T1, TSTR, SELF, SELF2, SSTR, ARRAY, NAMED };
enum { SELF_ARRAY = NAMED + 1, MANY, VARS };
enum { COUNT, SUM, MIN, MAX, AVG, STDDEV, QUANTIZE, LQUANTIZE, LLQUANTIZE };
enum { COUNT8 = LLQUANTIZE + 1, SUM_S, SUM_SS4, QUANTIZE12, AVG_S8, COUNT_8, SUM_9 };
#define AGGS (SUM_9 + 1)
enum { STR_EMPTY, STR_SHORT = 1, STR_LONG = 7, CONST_WIDE = 0, CONST_LEAST };
enum { ACTION_INT, ACTION_TEXT, ACTION_MIX, ACTION_BYTES, ACTION_SNAP };

#define LQUANT	(UINT64_C(10) << 48 | UINT64_C(5) << 32 | (uint32_t)-20)
#define LLQUANT (UINT64_C(20) << 48 | UINT64_C(3) << 32 | UINT64_C(1) << 16 | 10)

/* Of more than a record takes as constants. */
static const char long_text[] =
	"................................................................"
	".................................................................";

static void add_keys(struct builder *b, const char *keys)
{
	for (; *keys; keys++)
		build_field(b, *keys == 's' ? field_string(b->strsize)
					    : field_int((uint32_t)(*keys - '0'), true));
}

static void add_aggs(struct builder *b)
{
	static const struct {
		enum agg_func func;
		uint64_t param;
		const char *keys;
	} aggs[AGGS] = {
		[COUNT] = {AGG_count, 0, ""},
		[SUM] = {AGG_sum, 0, ""},
		[MIN] = {AGG_min, 0, ""},
		[MAX] = {AGG_max, 0, ""},
		[AVG] = {AGG_avg, 0, ""},
		[STDDEV] = {AGG_stddev, 0, ""},
		[QUANTIZE] = {AGG_quantize, 0, ""},
		[LQUANTIZE] = {AGG_lquantize, LQUANT, ""},
		[LLQUANTIZE] = {AGG_llquantize, LLQUANT, ""},
		[COUNT8] = {AGG_count, 0, "8"},
		[SUM_S] = {AGG_sum, 0, "s"},
		[SUM_SS4] = {AGG_sum, 0, "ss4"},
		[QUANTIZE12] = {AGG_quantize, 0, "12"},
		[AVG_S8] = {AGG_avg, 0, "s8"},
		[COUNT_8] = {AGG_count, 0, "12481248"},
		[SUM_9] = {AGG_sum, 0, "888888888"},
	};

	for (size_t i = 0; i < ARRAY_LEN(aggs); i++) {
		add_keys(b, aggs[i].keys);
		build_agg(b, aggs[i].func, aggs[i].param,
			  agg_words(aggs[i].func, aggs[i].param),
			  (uint32_t)strlen(aggs[i].keys));
	}
}

static void add_vars(struct builder *b)
{
	const struct {
		enum program_scope scope;
		char value; /* a size, s or b */
		const char *keys;
	} vars[VARS] = {
		[G0] = {SCOPE_GLOBAL, '8', ""},
		[G1] = {SCOPE_GLOBAL, '8', ""},
		[G2] = {SCOPE_GLOBAL, '4', ""},
		[G3] = {SCOPE_GLOBAL, '1', ""},
		[GSTR] = {SCOPE_GLOBAL, 's', ""},
		[GBYTES] = {SCOPE_GLOBAL, 'b', ""},
		[T0] = {SCOPE_THIS, '8', ""},
		[T1] = {SCOPE_THIS, '4', ""},
		[TSTR] = {SCOPE_THIS, 's', ""},
		[SELF] = {SCOPE_SELF, '8', ""},
		[SELF2] = {SCOPE_SELF, '4', ""},
		[SSTR] = {SCOPE_SELF, 's', ""},
		[ARRAY] = {SCOPE_ARRAY, '8', "8"},
		[NAMED] = {SCOPE_ARRAY, '8', "s4"},
		[SELF_ARRAY] = {SCOPE_SELF_ARRAY, '8', "82"},
		[MANY] = {SCOPE_ARRAY, '8', "8888ss"},
	};

	for (size_t i = 0; i < ARRAY_LEN(vars); i++) {
		const char value = vars[i].value;

		add_keys(b, vars[i].keys);
		build_var(b, vars[i].scope,
			  value == 's'	 ? field_string(b->strsize)
			  : value == 'b' ? field_bytes(24)
					 : field_int((uint32_t)(value - '0'), true),
			  (uint32_t)strlen(vars[i].keys));
	}
}

static struct builder *builder_with_tables(uint32_t strsize)
{
	struct builder *b = builder_new();

	b->strsize = strsize;
	assert_int_equal(build_string(b, "short"), STR_SHORT);
	assert_int_equal(build_string(b, long_text), STR_LONG);
	assert_int_equal(build_constant(b, UINT64_C(0x123456789abcdef0)), CONST_WIDE);
	assert_int_equal(build_constant(b, UINT64_C(1) << 63), CONST_LEAST);
	add_aggs(b);
	add_vars(b);
	build_field(b, field_int(8, true));
	assert_int_equal(build_action(b, ACTION_trace, 1), ACTION_INT);
	add_keys(b, "s");
	assert_int_equal(build_action(b, ACTION_trace, 1), ACTION_TEXT);
	add_keys(b, "1s2s48");
	assert_int_equal(build_action(b, ACTION_printf, 6), ACTION_MIX);
	build_field(b, field_bytes(24));
	assert_int_equal(build_action(b, ACTION_trace, 1), ACTION_BYTES);
	assert_int_equal(build_action(b, ACTION_snapshot, 0), ACTION_SNAP);
	return b;
}

/* END is 0, so that it ends a row that is shorter. */
_Static_assert(OP_END == 0, "the rest of a row");
#define ROW_INSNS 40

static void add_clause(struct builder *b, const insn_t *code, uint32_t most)
{
	uint32_t n = 0;

	while (n < most && code[n] != DONE)
		n++;
	assert_true(n < most);
	build_clause(b, code, n + 1);
}

/* Firings of every kind of number, in an order that no key repeats at once. */
static const uint64_t numbers[] = {
	5,	   0,	       7,	   5,
	1,	   UINT64_MAX, 5,	   UINT64_C(1) << 63,
	INT64_MAX, 0x80,       0x8000,	   UINT64_C(0x80000000),
	63,	   64,	       UINT32_MAX, 2,
	0,	   5,	       1000,	   UINT64_C(0xfedcba9876543210),
	3,
};

static struct native_pair_firing firing(uint32_t i, bool is_return)
{
	struct native_pair_firing f = {
		.probe = i / 3 % NATIVE_PAIR_PROBES,
		.thread = i / 5 % NATIVE_PAIR_THREADS,
		.is_return = is_return,
		.is_interpreted = i % 11 == 8,
	};

	for (uint32_t k = 0; k < NATIVE_PAIR_ARGS; k++)
		f.args[k] = numbers[(i * (k + 1) + 2 * k) % ARRAY_LEN(numbers)];
	if (is_return)
		f.args[0] = (uint32_t)f.args[0];
	return f;
}

#define FIRINGS 120

/* All events come, at changing firings. */
static void fire_all(struct native_pair *p, const char *what, bool is_return)
{
	for (uint32_t i = 0; i < FIRINGS; i++) {
		const struct native_pair_firing f = firing(i, is_return);
		const char *text;

		if (i % 7 == 6)
			native_pair_event(p,
					  (enum native_pair_event)(i / 7 % PAIR_EVENTS),
					  i / 7 / PAIR_EVENTS % 2);
		for (uint32_t agg = 0; i % 23 == 22 && agg < AGGS; agg++)
			native_pair_event(
				p, (enum native_pair_event)(i / 23 % PAIR_KEEP), agg);
		native_pair_fire(p, &f);
		text = native_pair_difference(p);
		if (text)
			fail_msg("%s, %s %u: %s", what, is_return ? "return" : "entry",
				 i, text);
	}
}

/* ---- clauses that have one ---- */

/* d = b op c, of arguments. */
#define COMPUTE(op)                                                                    \
	{                                                                              \
#op, BOTH,                                                             \
		{                                                                      \
			ARG(0, 1), ARG(1, 2), I(op, 2, 0, 1, 0), SHOW(2, 0),           \
				I(op, 0, 1, 0, 0), SHOW(0, 1), I(op, 1, 1, 1, 0),      \
				SHOW(1, 2)                                             \
		}                                                                      \
	}
#define COMPUTE_ONE(op)                                                                \
	{                                                                              \
#op, BOTH,                                                             \
		{                                                                      \
			ARG(0, 1), I(op, 1, 0, 0, 0), SHOW(1, 0), I(op, 0, 0, 0, 0),   \
				SHOW(0, 1)                                             \
		}                                                                      \
	}
#define DIVIDE(op, by)                                                                 \
	{                                                                              \
#op " by " #by, BOTH,                                                  \
		{                                                                      \
			ARG(0, 1), NUMBER(1, by), I(op, 2, 0, 1, 0), SHOW(2, 0),       \
				ARG(7, 2), NUMBER(9, by), I(op, 8, 7, 9, 0),           \
				SHOW(8, 1), I(op, 9, 7, 9, 0), SHOW(9, 2)              \
		}                                                                      \
	}
#define NARROW(op, size)                                                               \
	{                                                                              \
#op " " #size, BOTH,                                                   \
		{                                                                      \
			ARG(0, 1), I(op, 1, 0, size, 0), SHOW(1, 0), ARG(12, 2),       \
				I(op, 12, 12, size, 0), SHOW(12, 1)                    \
		}                                                                      \
	}
#define AGGREGATE(agg)                                                                 \
	{                                                                              \
#agg, BOTH,                                                            \
		{                                                                      \
			ARG(0, 1), ARG(1, 2), TUPLE, I(AGGR, 0, 1, 0, agg)             \
		}                                                                      \
	}

/* RECORDS_NAMES: if they are no longer than strsize, or there are none. */
enum { ENTRY = 1, RETURN = 2, BOTH = 3, RECORDS_NAMES = 4 };

struct row {
	const char *what;
	unsigned kinds; /* of sites that have a routine */
	insn_t code[ROW_INSNS];
};

static const struct row rows[] = {
	{"nothing", BOTH, {DONE}},
	COMPUTE(ADD),
	COMPUTE(SUB),
	COMPUTE(MUL),
	COMPUTE(AND),
	COMPUTE(OR),
	COMPUTE(XOR),
	COMPUTE(SHL),
	COMPUTE(SHR),
	COMPUTE(SAR),
	COMPUTE(SEQ),
	COMPUTE(SNE),
	COMPUTE(SLTS),
	COMPUTE(SLES),
	COMPUTE(SLTU),
	COMPUTE(SLEU),
	COMPUTE_ONE(MOV),
	COMPUTE_ONE(NEG),
	COMPUTE_ONE(NOT),
	COMPUTE_ONE(LNOT),
	DIVIDE(DIVS, 7),
	DIVIDE(DIVS, -3),
	DIVIDE(DIVS, 1),
	DIVIDE(DIVU, 10),
	DIVIDE(DIVU, -1),
	DIVIDE(REMS, 7),
	DIVIDE(REMS, -8),
	DIVIDE(REMU, 10),
	DIVIDE(REMU, -1),
	NARROW(EXTS, 1),
	NARROW(EXTS, 2),
	NARROW(EXTS, 4),
	NARROW(EXTS, 8),
	NARROW(EXTU, 1),
	NARROW(EXTU, 2),
	NARROW(EXTU, 4),
	NARROW(EXTU, 8),
	{"constants",
	 BOTH,
	 {NUMBER(0, -1), SHOW(0, 0), NUMBER(0, INT32_MIN), SHOW(0, 1),
	  I(LC, 0, 0, 0, CONST_WIDE), SHOW(0, 2), I(LC, 20, 0, 0, CONST_LEAST),
	  SHOW(20, 3), I(ADDI, 1, 20, 0, -1), SHOW(1, 0), I(ADDI, 20, 0, 0, INT32_MAX),
	  SHOW(20, 1)}},
	{"the arguments of an entry",
	 ENTRY,
	 {ARG(0, 0), ARG(1, 3), I(ADD, 0, 0, 1, 0), ARG(2, 4), I(SUB, 0, 0, 2, 0),
	  ARG(3, 5), I(XOR, 0, 0, 3, 0), SHOW(0, 0)}},
	{"those of a return",
	 BOTH,
	 {ARG(0, 0), SHOW(0, 0), ARG(1, 1), SHOW(1, 1), ARG(30, 2), SHOW(30, 2)}},
	{"built-in variables",
	 BOTH,
	 {LOAD(0, id), SHOW(0, 0), LOAD(0, epid), SHOW(0, 1), LOAD(0, pid), SHOW(0, 2),
	  LOAD(0, tid), SHOW(0, 3), LOAD(1, uid), LOAD(2, gid), I(MUL, 1, 1, 2, 0),
	  SHOW(1, 0), LOAD(9, ppid), SHOW(9, 1), LOAD(9, cpu), SHOW(9, 2)}},
	{"the time, once",
	 BOTH,
	 {LOAD(0, timestamp), SHOW(0, 0), LOAD(8, timestamp), SHOW(8, 1),
	  I(SUB, 0, 8, 0, 0), SHOW(0, 2), LOAD(0, vtimestamp), SHOW(0, 3),
	  LOAD(0, walltimestamp), SHOW(0, 0)}},
	{"the time, if arg1",
	 BOTH,
	 {ARG(0, 1), I(JZ, 0, 0, 0, 2), LOAD(1, timestamp), SHOW(1, 0),
	  LOAD(1, timestamp), SHOW(1, 1)}},
	{"a variable that counts",
	 BOTH,
	 {I(LDG, 0, 0, 0, G0), I(ADDI, 0, 0, 0, 1), I(STG, 0, 0, 0, G0),
	  I(LDG, 9, 0, 0, G2), I(ADDI, 9, 9, 0, 3), I(EXTS, 9, 9, 4, 0),
	  I(STG, 9, 0, 0, G2)}},
	{"clause-locals",
	 BOTH,
	 {I(LDT, 0, 0, 0, T0), SHOW(0, 0), I(LDT, 1, 0, 0, T1), SHOW(1, 1), ARG(2, 1),
	  I(STT, 2, 0, 0, T0), I(STT, 2, 0, 0, T1), I(LDT, 3, 0, 0, T0), SHOW(3, 2)}},
	{"if, else",
	 BOTH,
	 {ARG(0, 1), NUMBER(1, 5), I(SEQ, 2, 0, 1, 0), I(JZ, 2, 0, 0, 2), NUMBER(3, 10),
	  I(JMP, 0, 0, 0, 1), NUMBER(3, 20), SHOW(3, 0), I(JNZ, 2, 0, 0, 1),
	  SHOW(0, 1)}},
	{"a jump to the next instruction",
	 BOTH,
	 {ARG(0, 1), I(JZ, 0, 0, 0, 0), I(JMP, 0, 0, 0, 0), SHOW(0, 0)}},
	{"two jumps to one place, one to the end",
	 BOTH,
	 {ARG(0, 1), I(JZ, 0, 0, 0, 4), ARG(1, 2), I(JNZ, 1, 0, 0, 2),
	  I(JZ, 1, 0, 0, 2), SHOW(0, 0), SHOW(0, 1), SHOW(0, 2)}},
	{"what no path reaches",
	 BOTH,
	 {ARG(0, 1), I(JMP, 0, 0, 0, 3), SHOW(7, 0), I(ADD, 9, 8, 7, 0), SHOW(9, 1),
	  SHOW(0, 2)}},
	{"a constant of one path is none after it",
	 BOTH,
	 {ARG(0, 1), NUMBER(1, 3), I(JZ, 0, 0, 0, 1), NUMBER(1, 4), TUPLE, KEY(1, 8),
	  I(AGGR, 0, 0, 0, COUNT8)}},
	AGGREGATE(COUNT),
	AGGREGATE(SUM),
	AGGREGATE(MIN),
	AGGREGATE(MAX),
	AGGREGATE(AVG),
	AGGREGATE(STDDEV),
	AGGREGATE(QUANTIZE),
	AGGREGATE(LQUANTIZE),
	AGGREGATE(LLQUANTIZE),
	{"all registers",
	 BOTH,
	 {ARG(0, 1),
	  ARG(1, 2),
	  I(ADD, 2, 0, 1, 0),
	  I(ADD, 3, 2, 1, 0),
	  I(ADD, 4, 3, 2, 0),
	  I(ADD, 5, 4, 3, 0),
	  I(ADD, 6, 5, 4, 0),
	  I(ADD, 7, 6, 5, 0),
	  I(ADD, 8, 7, 6, 0),
	  I(ADD, 31, 8, 7, 0),
	  TUPLE,
	  KEY(31, 8),
	  I(AGGR, 8, 7, 0, COUNT8),
	  I(SLTU, 30, 31, 8, 0),
	  SHOW(30, 0),
	  SHOW(31, 1),
	  I(SHL, 29, 31, 30, 0),
	  SHOW(29, 2),
	  I(MOV, 6, 31, 0, 0),
	  SHOW(6, 3)}},
	{"key: an argument",
	 BOTH,
	 {ARG(0, 1), TUPLE, KEY(0, 8), I(AGGR, 0, 0, 0, COUNT8)}},
	{"key: a constant",
	 BOTH,
	 {ARG(1, 2), NUMBER(0, -7), TUPLE, KEY(0, 8), I(AGGR, 1, 1, 0, COUNT8)}},
	{"key: computed inside",
	 BOTH,
	 {ARG(1, 2), TUPLE, ARG(0, 1), I(AND, 0, 0, 1, 0), KEY(0, 8),
	  I(AGGR, 1, 1, 0, COUNT8)}},
	{"key: a part of the name",
	 BOTH,
	 {ARG(1, 2), TUPLE, LOAD(0, probefunc), TEXT(0), I(AGGR, 1, 1, 0, SUM_S)}},
	{"key: a text",
	 BOTH,
	 {ARG(1, 2), TUPLE, I(LS, 0, 0, 0, STR_SHORT), TEXT(0),
	  I(AGGR, 1, 1, 0, SUM_S)}},
	{"key: the empty text",
	 BOTH,
	 {ARG(1, 2), TUPLE, I(LS, 0, 0, 0, STR_EMPTY), TEXT(0),
	  I(AGGR, 1, 1, 0, SUM_S)}},
	{"keys: names and a constant",
	 BOTH,
	 {ARG(1, 2), TUPLE, LOAD(0, probemod), TEXT(0), LOAD(0, probename), TEXT(0),
	  NUMBER(8, 300), KEY(8, 4), I(AGGR, 1, 1, 0, SUM_SS4)}},
	{"keys: a name, a text, an argument",
	 BOTH,
	 {ARG(1, 2), TUPLE, LOAD(7, probeprov), I(MOV, 6, 7, 0, 0), TEXT(6),
	  I(LS, 0, 0, 0, STR_SHORT), TEXT(0), KEY(1, 4), I(AGGR, 1, 1, 0, SUM_SS4)}},
	{"keys: narrow, a constant and an argument",
	 BOTH,
	 {ARG(1, 2), NUMBER(0, -200), TUPLE, KEY(0, 1), KEY(1, 2),
	  I(AGGR, 1, 1, 0, QUANTIZE12)}},
	{"keys: narrow, an argument and a constant",
	 BOTH,
	 {ARG(1, 2), NUMBER(0, -200), TUPLE, KEY(1, 1), KEY(0, 2),
	  I(AGGR, 1, 0, 0, QUANTIZE12)}},
	{"keys: name, the thread",
	 BOTH,
	 {ARG(1, 2), TUPLE, LOAD(0, probefunc), TEXT(0), LOAD(9, tid), KEY(9, 8),
	  I(AGGR, 1, 1, 0, AVG_S8)}},
	{"keys: eight",
	 BOTH,
	 {ARG(0, 1), NUMBER(1, 77), TUPLE, KEY(0, 1), KEY(1, 2), KEY(0, 4), KEY(1, 8),
	  KEY(1, 1), KEY(0, 2), KEY(0, 4), KEY(1, 8), I(AGGR, 0, 0, 0, COUNT_8)}},
	{"two updates under constant keys",
	 BOTH,
	 {ARG(0, 1), TUPLE, I(AGGR, 0, 0, 0, SUM), NUMBER(1, 1), TUPLE, KEY(1, 8),
	  I(AGGR, 0, 0, 0, COUNT8), NUMBER(1, 2), TUPLE, KEY(1, 8),
	  I(AGGR, 0, 0, 0, COUNT8)}},
	{"self->x = arg1",
	 BOTH,
	 {ARG(0, 1), TUPLE, I(STD, 0, 0, 0, SELF), TUPLE, I(LDD, 8, 0, 0, SELF),
	  SHOW(8, 0), TUPLE, I(LDD, 1, 0, 0, SELF2), SHOW(1, 1)}},
	{"self->y++, kept tuple",
	 BOTH,
	 {TUPLE, I(LDD, 0, 0, 1, SELF2), I(ADDI, 0, 0, 0, 1), I(STD, 0, 0, 0, SELF2)}},
	{"self->x, there and gone",
	 BOTH,
	 {ARG(0, 1), NUMBER(1, 5), I(SEQ, 1, 0, 1, 0), I(JZ, 1, 0, 0, 2), TUPLE,
	  I(STD, 0, 0, 0, SELF), I(JNZ, 1, 0, 0, 4), TUPLE, I(LDD, 2, 0, 0, SELF),
	  TUPLE, I(STD, 1, 0, 0, SELF), SHOW(0, 0)}},
	{"array[arg1] += arg2",
	 BOTH,
	 {ARG(0, 1), ARG(1, 2), TUPLE, KEY(0, 8), I(LDD, 2, 0, 1, ARRAY),
	  I(ADD, 2, 2, 1, 0), I(STD, 2, 0, 0, ARRAY), SHOW(2, 0)}},
	{"array[1] = arg1, of which some are 0",
	 BOTH,
	 {ARG(0, 1), NUMBER(1, 1), TUPLE, KEY(1, 8), I(STD, 0, 0, 0, ARRAY)}},
	{"named[probefunc, arg1]++",
	 BOTH,
	 {ARG(0, 1), TUPLE, LOAD(6, probefunc), TEXT(6), KEY(0, 4),
	  I(LDD, 7, 0, 1, NAMED), I(ADDI, 7, 7, 0, 1), I(STD, 7, 0, 0, NAMED)}},
	{"self->array[arg1, 3]",
	 BOTH,
	 {ARG(0, 1), NUMBER(1, 3), TUPLE, KEY(0, 8), KEY(1, 2),
	  I(LDD, 2, 0, 0, SELF_ARRAY), SHOW(2, 0), ARG(2, 2), TUPLE, KEY(0, 8),
	  KEY(1, 2), I(STD, 2, 0, 0, SELF_ARRAY)}},
	{"many[...]",
	 BOTH,
	 {ARG(0, 1), ARG(1, 2), TUPLE, KEY(0, 8), KEY(1, 8), NUMBER(2, 1), KEY(2, 8),
	  KEY(1, 8), LOAD(9, probemod), TEXT(9), I(LS, 9, 0, 0, STR_SHORT), TEXT(9),
	  I(LDD, 3, 0, 1, MANY), I(ADD, 3, 3, 1, 0), I(STD, 3, 0, 0, MANY)}},
	{"general registers",
	 BOTH,
	 {UREG(0, 0), SHOW(0, 0), UREG(0, 1), SHOW(0, 1), UREG(0, 2), SHOW(0, 2),
	  UREG(0, 8), SHOW(0, 3), UREG(20, 10), SHOW(20, 0), UREG(20, 14), SHOW(20, 1),
	  UREG(20, 13), SHOW(20, 2)}},
	{"the others",
	 BOTH,
	 {UREG(0, 3), SHOW(0, 0), UREG(0, 4), SHOW(0, 1), UREG(0, 5), SHOW(0, 2),
	  UREG(1, 6), UREG(2, 7), I(ADD, 1, 1, 2, 0), UREG(2, 9), I(XOR, 1, 1, 2, 0),
	  UREG(2, 11), I(SUB, 1, 1, 2, 0), UREG(2, 12), I(ADD, 1, 1, 2, 0),
	  SHOW(1, 3)}},
	{"pc and sp",
	 BOTH,
	 {UREG(0, REGS_UREG_PC), SHOW(0, 0), UREG(31, REGS_UREG_SP), SHOW(31, 1),
	  UREG(0, REGS_UREG_PC), SHOW(0, 2)}},
	{"words of the stack",
	 BOTH,
	 {UREG(0, REGS_UREG_SP), FETCH(1, 0, 8, 0), SHOW(1, 0), FETCH(1, 0, 8, 24),
	  SHOW(1, 1), FETCH(1, 0, 8, -8), SHOW(1, 2)}},
	{"parts of words",
	 BOTH,
	 {UREG(20, REGS_UREG_SP), FETCH(1, 20, 1, 3), FETCH(2, 20, SIGNED(1), 4),
	  I(ADD, 1, 1, 2, 0), FETCH(2, 20, 2, 5), I(XOR, 1, 1, 2, 0), SHOW(1, 0),
	  FETCH(21, 20, SIGNED(2), -3), FETCH(22, 20, 4, -5), I(SUB, 21, 21, 22, 0),
	  SHOW(21, 1), FETCH(21, 20, SIGNED(4), 1), SHOW(21, 2),
	  FETCH(20, 20, SIGNED(8), -40), SHOW(20, 3)}},
	{"around the end of the stack",
	 BOTH,
	 {UREG(0, REGS_UREG_SP), FETCH(1, 0, 1, 7), SHOW(1, 0), FETCH(1, 0, 2, 7),
	  SHOW(1, 1), FETCH(1, 0, 4, 5), SHOW(1, 2)}},
	{"a page below",
	 BOTH,
	 {UREG(0, REGS_UREG_SP), FETCH(1, 0, 8, -4096), SHOW(1, 0)}},
	{"elsewhere",
	 BOTH,
	 {I(LI, 0, 0, 0, WORLD_BASE), FETCH(1, 0, 4, 8), SHOW(1, 0),
	  FETCH(1, 0, 8, 508), SHOW(1, 1)}},
	{"what cannot be read", BOTH, {ARG(0, 1), FETCH(1, 0, 4, -1), SHOW(0, 0)}},
	{"updates before and after a fault",
	 BOTH,
	 {ARG(0, 1), TUPLE, I(AGGR, 0, 0, 0, SUM), LOAD(1, timestamp), SHOW(1, 1),
	  UREG(1, REGS_UREG_SP), FETCH(2, 1, 8, 0), TUPLE, I(AGGR, 2, 2, 0, MAX)}},
	{"a key from memory",
	 BOTH,
	 {UREG(1, REGS_UREG_SP), TUPLE, FETCH(2, 1, 1, 0), KEY(2, 8),
	  I(AGGR, 1, 1, 0, COUNT8)}},
	{"a local that is gone at one place",
	 BOTH,
	 {UREG(0, REGS_UREG_PC), I(ADDI, 0, 0, 0, 1), UREG(1, REGS_UREG_PC),
	  I(SUB, 0, 0, 1, 0), ARG(2, 1), NUMBER(3, 5), I(SEQ, 2, 2, 3, 0),
	  I(JZ, 2, 0, 0, 3), UREG(4, 11), I(JMP, 0, 0, 0, 1), GONE(4), SHOW(4, 0),
	  TUPLE, I(AGGR, 0, 0, 0, SUM)}},
	{"gone", BOTH, {GONE(0), SHOW(0, 0)}},
	{"the place",
	 BOTH,
	 {UREG(0, REGS_UREG_PLACE), SHOW(0, 0), UREG(1, REGS_UREG_PC), SHOW(1, 1)}},
	{"a clause-local keeps its value at a fault of another clause",
	 BOTH,
	 {I(LDT, 1, 0, 0, T0), SHOW(1, 0), ARG(0, 1), I(STT, 0, 0, 0, T0),
	  FETCH(2, 0, 2, 0), SHOW(2, 1)}},
	{"the elapsed time",
	 BOTH,
	 {TUPLE, I(LDD, 0, 0, 0, SELF), I(JZ, 0, 0, 0, 7), LOAD(1, timestamp),
	  I(SUB, 2, 1, 0, 0), NUMBER(3, 1), TUPLE, I(AGGR, 2, 3, 0, QUANTIZE),
	  NUMBER(4, 0), I(JMP, 0, 0, 0, 1), LOAD(4, timestamp), TUPLE,
	  I(STD, 4, 0, 0, SELF)}},
	{"trace(arg1)", BOTH, {ARG(0, 1), TRACE(0)}},
	{"trace(text)",
	 BOTH,
	 {TUPLE, I(LS, 0, 0, 0, STR_SHORT), TEXT(0), RECORD(TEXT)}},
	{"a record of nothing", BOTH, {I(RECE, 0, 0, 0, 0)}},
	{"a record of nothing, unless arg1 is 5",
	 BOTH,
	 {ARG(0, 1), ADDI5(1, 0), I(JZ, 1, 0, 0, 1), I(RECE, 0, 0, 0, 0)}},
	{"trace(probefunc), trace(text)",
	 BOTH | RECORDS_NAMES,
	 {TUPLE, LOAD(0, probefunc), TEXT(0), RECORD(TEXT), TUPLE,
	  I(LS, 0, 0, 0, STR_SHORT), TEXT(0), RECORD(TEXT)}},
	{"a record of all kinds of values",
	 BOTH | RECORDS_NAMES,
	 {TUPLE, ARG(0, 1), KEY(0, 1), LOAD(9, probemod), I(MOV, 1, 9, 0, 0), TEXT(1),
	  LOAD(9, walltimestamp), KEY(9, 2), I(LS, 2, 0, 0, STR_EMPTY), TEXT(2),
	  NUMBER(3, -1), KEY(3, 4), LOAD(20, timestamp), KEY(20, 8), RECORD(MIX)}},
	{"x++, trace(x), this->t",
	 BOTH,
	 {I(LDG, 0, 0, 0, G0), I(ADDI, 0, 0, 0, 1), I(STG, 0, 0, 0, G0), TRACE(0),
	  I(STT, 0, 0, 0, T0), I(LDT, 7, 0, 0, T0), TRACE(7)}},
	{"trace(self->x), self->x = arg1",
	 BOTH,
	 {TUPLE, TUPLE, I(LDD, 0, 0, 0, SELF), KEY(0, 8), RECORD(INT), ARG(1, 1), TUPLE,
	  I(STD, 1, 0, 0, SELF)}},
	{"trace(arg1), sum(arg1), trace(probefunc)",
	 BOTH | RECORDS_NAMES,
	 {ARG(0, 1), TRACE(0), TUPLE, I(AGGR, 0, 0, 0, SUM), TUPLE, LOAD(1, probefunc),
	  TEXT(1), RECORD(TEXT)}},
	{"trace on one way, on both, and on neither",
	 BOTH,
	 {ARG(0, 1), ARG(1, 2), I(JZ, 0, 0, 0, 6), ADDI5(2, 0), I(JZ, 2, 0, 0, 9),
	  TRACE(0), I(JMP, 0, 0, 0, 1), SHOW(0, 0), I(JZ, 1, 0, 0, 3), TRACE(1)}},
	{"a word at sp between two traces",
	 BOTH,
	 {ARG(0, 1), TRACE(0), UREG(1, REGS_UREG_SP), FETCH(1, 1, 8, 0), SHOW(1, 0),
	  TRACE(1)}},
	{"a fault between two traces",
	 BOTH,
	 {ARG(0, 1), TRACE(0), FETCH(1, 0, 8, 0), TRACE(1)}},
	{"a fault inside of the data",
	 BOTH,
	 {ARG(0, 1), TUPLE, FETCH(1, 0, 8, 0), KEY(1, 8), RECORD(INT)}},
	{"gone if arg1, after a trace",
	 BOTH,
	 {ARG(0, 1), TRACE(0), I(JZ, 0, 0, 0, 1), GONE(1), TRACE(0)}},
};

static void run(struct native_pair *p, const struct row *row)
{
	for (unsigned is_return = 0; is_return < 2; is_return++) {
		bool wanted = row->kinds >> is_return & 1;

		if (native_pair_has_routine(p, is_return) != wanted)
			fail_msg("%s, %s: %s routine", row->what,
				 is_return ? "return" : "entry", wanted ? "no" : "a");
		if (wanted)
			fire_all(p, row->what, is_return);
	}
	native_pair_free(p);
}

static void test_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct builder *b = builder_with_tables(256);

		add_clause(b, rows[i].code, ROW_INSNS);
		run(native_pair_new(b, NULL), &rows[i]);
	}
}

/* Keys are cut to strsize, and the longest name is longer than that. */
static void test_strsize(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct builder *b = builder_with_tables(3 + (uint32_t)i % 2);
		struct row row = rows[i];

		if (row.kinds & RECORDS_NAMES)
			row.kinds = 0;
		add_clause(b, rows[i].code, ROW_INSNS);
		run(native_pair_new(b, NULL), &row);
	}
}

/* Shards, dynamic variables that have room for a few elements or for none. */
static void test_full(void **state)
{
	static const uint64_t sizes[] = {0, 60, 200, 500};
	static const uint64_t buffers[] = {8, 200, 800, 4000};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows) * ARRAY_LEN(sizes); i++) {
		const struct row *row = &rows[i / ARRAY_LEN(sizes)];
		struct builder *b = builder_with_tables(256);
		struct state_config config;
		size_t size;
		void *image;

		add_clause(b, row->code, ROW_INSNS);
		image = build_image(b, &size);
		config = rig_config(image);
		config.aggsize = sizes[i % ARRAY_LEN(sizes)];
		config.dynvarsize = sizes[i % ARRAY_LEN(sizes)];
		config.bufsize = buffers[i % ARRAY_LEN(sizes)];
		config.policy = (uint32_t)(i % STATE_POLICY_COUNT);
		run(native_pair_of(image, size, &config), row);
	}
}

/*
 * All rows that fit into one probe, in order: they see each other's effects. No routine is
 * made if the records of all do not fit into a chunk, which is small with small limits.
 */
static void test_many_clauses(void **state)
{
	struct row row = {.what = "many clauses", .kinds = BOTH};

	(void)state;
	for (size_t first = 0; first < ARRAY_LEN(rows); first += 5) {
		struct builder *b = builder_with_tables(256);
		struct native_pair *p;

		row.kinds = BOTH;
		for (size_t i = first; i < ARRAY_LEN(rows) && i < first + 12; i++) {
			add_clause(b, rows[i].code, ROW_INSNS);
			row.kinds &= rows[i].kinds;
		}
		p = native_pair_new(b, NULL);
		if (CHUNK_BYTES < 1024 && !native_pair_has_routine(p, false))
			row.kinds = 0;
		run(p, &row);
	}
}

/* ---- stopped, or restricted ---- */

static void test_stopped(void **state)
{
	struct builder *b = builder_with_tables(256);
	const insn_t code[] = {I(LDG, 0, 0, 0, G0), I(ADDI, 0, 0, 0, 1),
			       I(STG, 0, 0, 0, G0), DONE};
	struct native_pair_firing f = {0};
	struct native_pair *p;

	(void)state;
	build_clause(b, code, ARRAY_LEN(code));
	p = native_pair_new(b, NULL);
	assert_true(native_pair_has_routine(p, false));
	native_pair_fire(p, &f);
	for (unsigned is_native = 0; is_native < 2; is_native++) {
		struct state *s = native_pair_state(p, is_native);

		state_stop(s);
		state_renew(s);
	}
	native_pair_fire(p, &f);
	assert_null(native_pair_difference(p));
	for (unsigned is_native = 0; is_native < 2; is_native++) {
		struct state *s = native_pair_state(p, is_native);
		uint64_t *g0 = layout_at(s, s->globals_at);

		assert_int_equal(*g0, 1);
	}
	native_pair_free(p);
}

/* Where only one processor counts, it is asked at each firing: not by a routine. */
static void test_one_processor(void **state)
{
	const uint32_t only[] = {native_pair_cpu() + 1, native_pair_cpu() + 2};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(only); i++) {
		struct builder *b = builder_with_tables(256);
		const struct native_pair_firing f = {0};
		struct state_config config;
		struct native_pair *p;
		uint64_t *t0;
		size_t size;
		void *image;

		add_clause(b, (const insn_t[]){NUMBER(0, 9), SHOW(0, 0), DONE}, 3);
		image = build_image(b, &size);
		config = rig_config(image);
		config.only_cpu = only[i];
		p = native_pair_of(image, size, &config);
		native_pair_fire(p, &f);
		assert_null(native_pair_difference(p));
		t0 = layout_at(native_pair_state(p, true),
			       native_pair_state(p, true)->globals_at);
		assert_int_equal(*t0, i == 0 ? 9 : 0);
		native_pair_free(p);
	}
}

/*
 * An element that a routine knows is removed, and an interpreted firing reuses it for
 * another key of the bucket, before the consumer has told of it.
 */
static void test_rekeyed(void **state)
{
	const struct row row = {
		.code = {ARG(0, 1), TUPLE, KEY(0, 8), I(AGGR, 0, 0, 0, COUNT8)}};
	struct builder *b = builder_with_tables(256);
	struct native_pair_firing f = {.args = {0, 5}};
	struct state_config config;
	struct native_pair *p;
	size_t size;
	void *image;

	(void)state;
	add_clause(b, row.code, ROW_INSNS);
	image = build_image(b, &size);
	config = rig_config(image);
	config.aggsize = 127; /* one bucket */
	p = native_pair_of(image, size, &config);
	native_pair_fire(p, &f);
	native_pair_fire(p, &f);
	native_pair_event(p, PAIR_REMOVING, COUNT8);
	f.args[1] = 6;
	f.is_interpreted = true;
	native_pair_fire(p, &f);
	assert_int_equal(
		layout_slot(native_pair_state(p, true), STATE_SLOT_FIRST_THREAD)
			->rekeyed,
		1);
	f.args[1] = 5;
	f.is_interpreted = false;
	native_pair_fire(p, &f);
	assert_null(native_pair_difference(p));
	native_pair_free(p);
}

/* ---- clauses that have none ---- */

#define COMPUTED(op)                                                                   \
	{                                                                              \
#op " by what is not known", 0,                                        \
		{                                                                      \
			ARG(0, 1), ARG(1, 2), I(op, 2, 0, 1, 0)                        \
		}                                                                      \
	}
#define BY(op, n)                                                                      \
	{                                                                              \
#op " by " #n, 0,                                                      \
		{                                                                      \
			ARG(0, 1), NUMBER(1, n), I(op, 2, 0, 1, 0)                     \
		}                                                                      \
	}
#define BUILT_IN(name)                                                                 \
	{                                                                              \
#name, 0,                                                              \
		{                                                                      \
			LOAD(0, name)                                                  \
		}                                                                      \
	}

static const struct row without[] = {
	{"SCMP", 0, {LOAD(0, probefunc), LOAD(1, probename), I(SCMP, 2, 0, 1, 0)}},
	{"LD", 0, {LOAD(0, probefunc), I(LD, 1, 0, 1, 0)}},
	{"ST", 0, {ARG(0, 1), I(ST, 0, 0, 8, 0)}},
	{"MCPY", 0, {ARG(0, 1), I(MCPY, 0, 0, 0, 8)}},
	{"SCPY", 0, {ARG(0, 1), I(SCPY, 0, 0, 0, 8)}},
	{"SARR", 0, {ARG(0, 1), I(SARR, 1, 0, 0, 8)}},
	{"SRW", 0, {ARG(0, 1), I(SRW, 1, 0, 0, 0)}},
	{"BIX", 0, {ARG(0, 1), I(BIX, 1, 0, 0, BUILTIN_uregs)}},
	{"trapno", 0, {UREG(0, 15)}},
	{"flags", 0, {UREG(0, 19)}},
	{"tls", 0, {UREG(0, REGS_UREG_TLS)}},
	{"no register", 0, {UREG(0, REGS_UREG_PLACE + 1)}},
	{"another array", 0, {NUMBER(0, 1), I(BIX, 1, 0, 0, BUILTIN_uvectors)}},
	{"pc by another way",
	 0,
	 {NUMBER(0, REGS_UREG_PC), I(MOV, 1, 0, 0, 0), I(BIX, 1, 1, 0, BUILTIN_uregs)}},
	{"LDGA", 0, {I(LDGA, 0, 0, 0, GBYTES)}},
	{"LDGP", 0, {ARG(0, 1), I(LDGP, 1, 0, 8, GBYTES)}},
	{"STGP", 0, {ARG(0, 1), I(STGP, 0, 0, 8, GBYTES)}},
	{"data that is no integer",
	 0,
	 {LOAD(0, execname), TUPLE, TEXT(0), I(REC, 0, 0, 0, ACTION_TEXT)}},
	{"a long text", 0, {I(LS, 0, 0, 0, STR_LONG), TUPLE, TEXT(0), RECORD(TEXT)}},
	{"snapshot()", 0, {TUPLE, RECORD(SNAP)}},
	{"bytes", 0, {ARG(0, 1), TUPLE, I(TPB, 0, 0, 0, 24), RECORD(BYTES)}},
	{"CALL", 0, {I(CALL, 0, 0, 0, SUBR_rand)}},
	{"STOP", 0, {I(STOP, 0, 0, 0, 0)}},
	COMPUTED(DIVS),
	COMPUTED(DIVU),
	COMPUTED(REMS),
	COMPUTED(REMU),
	BY(DIVS, 0),
	BY(DIVU, 0),
	BY(REMS, 0),
	BY(REMU, 0),
	BY(DIVS, -1),
	BY(REMS, -1),
	{"a divisor that only one path knows",
	 0,
	 {ARG(0, 1), NUMBER(1, 3), I(JZ, 0, 0, 0, 1), NUMBER(1, 0),
	  I(DIVU, 2, 0, 1, 0)}},
	{"arg6", 0, {ARG(0, 6)}},
	{"arg9", 0, {ARG(0, 9)}},
	BUILT_IN(ucaller),
	BUILT_IN(caller),
	BUILT_IN(stackdepth),
	BUILT_IN(ustackdepth),
	BUILT_IN(execname),
	BUILT_IN(errno),
	BUILT_IN(threadname),
	BUILT_IN(cwd),
	BUILT_IN(curpsinfo_pgid),
	BUILT_IN(curcpu_chip),
	{"a string global", 0, {I(LDG, 0, 0, 0, GSTR)}},
	{"a string is stored", 0, {LOAD(0, probefunc), I(STG, 0, 0, 0, GSTR)}},
	{"a name is stored in an integer", 0, {LOAD(0, probefunc), SHOW(0, 0)}},
	{"a struct global", 0, {I(LDG, 0, 0, 0, GBYTES)}},
	{"a clause-local string", 0, {I(LDT, 0, 0, 0, TSTR)}},
	{"self-> string", 0, {TUPLE, I(LDD, 0, 0, 0, SSTR)}},
	{"self-> string = 0", 0, {NUMBER(0, 0), TUPLE, I(STD, 0, 0, 0, SSTR)}},
	{"a name is tested", 0, {LOAD(0, probefunc), I(JZ, 0, 0, 0, 0)}},
	{"a name is added", 0, {LOAD(0, probefunc), I(ADDI, 1, 0, 0, 1)}},
	{"a text as an integer of a key",
	 0,
	 {I(LS, 0, 0, 0, STR_SHORT), TUPLE, KEY(0, 8), I(AGGR, 0, 0, 0, COUNT8)}},
	{"an integer as a text",
	 0,
	 {ARG(0, 1), TUPLE, TEXT(0), I(AGGR, 0, 0, 0, SUM_S)}},
	{"0 as a text", 0, {NUMBER(0, 0), TUPLE, TEXT(0), I(AGGR, 0, 0, 0, SUM_S)}},
	{"a text of one path",
	 0,
	 {ARG(1, 1), LOAD(0, probefunc), I(JZ, 1, 0, 0, 1), I(LS, 0, 0, 0, STR_SHORT),
	  TUPLE, TEXT(0), I(AGGR, 1, 1, 0, SUM_S)}},
	{"an integer of one path",
	 0,
	 {ARG(1, 1), LOAD(0, probefunc), I(JZ, 1, 0, 0, 1), NUMBER(0, 4), SHOW(0, 0)}},
	{"a jump inside of a tuple",
	 0,
	 {ARG(0, 1), TUPLE, I(JZ, 0, 0, 0, 1), NUMBER(0, 7), KEY(0, 8),
	  I(AGGR, 0, 0, 0, COUNT8)}},
	{"a tuple in a tuple",
	 0,
	 {ARG(0, 1), TUPLE, TUPLE, I(LDD, 1, 0, 0, SELF), KEY(1, 8),
	  I(AGGR, 0, 0, 0, COUNT8)}},
	{"more values than a tuple has",
	 0,
	 {ARG(0, 1), TUPLE, KEY(0, 8), KEY(0, 8), KEY(0, 8), KEY(0, 8), KEY(0, 8),
	  KEY(0, 8), KEY(0, 8), KEY(0, 8), KEY(0, 8), I(AGGR, 0, 0, 0, SUM_9)}},
};

static void test_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(without); i++) {
		for (unsigned before = 0; before < 2; before++) {
			struct builder *b = builder_with_tables(256);

			/* one such clause is enough, wherever it is */
			if (before)
				add_clause(b, rows[1].code, ROW_INSNS);
			add_clause(b, without[i].code, ROW_INSNS);
			if (!before)
				add_clause(b, rows[1].code, ROW_INSNS);
			run(native_pair_new(b, NULL), &without[i]);
		}
	}
}

/* Jumps that wait at once: as many as the translator has places for, and one more. */
static void test_jumps(void **state)
{
	static const struct {
		uint32_t n;
		bool has_routine;
	} cases[] = {{63, true}, {64, true}, {65, false}, {200, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct row row = {.what = "jumps",
					.kinds = cases[i].has_routine ? BOTH : 0};
		struct builder *b = builder_with_tables(256);
		insn_t code[512] = {ARG(0, 1)};
		uint32_t n = cases[i].n, at = 1;

		for (uint32_t k = 0; k < n; k++)
			code[at++] =
				k % 2 ? I(JZ, 0, 0, 0, n - 1) : I(JNZ, 0, 0, 0, n - 1);
		for (uint32_t k = 0; k < n; k++)
			code[at++] = SHOW(0, k % 4);
		build_clause(b, code, at + 1);
		run(native_pair_new(b, NULL), &row);
	}
}

/* A routine that outgrows its buffer is none; what was translated before it stays. */
static void test_too_long(void **state)
{
	struct row row = {.what = "long"};

	(void)state;
	for (unsigned is_long = 0; is_long < 2; is_long++) {
		struct builder *b = builder_with_tables(256);
		insn_t code[BUILDER_MAX - 2] = {ARG(20, 1)};
		uint32_t n = is_long ? ARRAY_LEN(code) - 1 : 300;

		for (uint32_t k = 1; k < n; k++)
			code[k] = I(MUL, 20, 20, 20, 0);
		code[n - 1] = SHOW(20, 0);
		build_clause(b, code, n + 1);
		row.kinds = is_long ? 0 : BOTH;
		run(native_pair_new(b, NULL), &row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	cmocka_unit_test(test_strsize),
		cmocka_unit_test(test_full),	cmocka_unit_test(test_many_clauses),
		cmocka_unit_test(test_stopped), cmocka_unit_test(test_one_processor),
		cmocka_unit_test(test_rekeyed), cmocka_unit_test(test_none),
		cmocka_unit_test(test_jumps),	cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
