/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/block_read.h"
#include "tests/unit/support/dlang_run.h"
#include "vm/agg.h"

/* Compiles, verifies and runs; the caller looks at r and releases it. */
static void run(struct run *r, const char *text)
{
	const char *trouble;

	run_compile(r, text);
	if (r->status)
		fail_msg("%s: %s", text, r->messages.data);
	trouble = run_prepare(r);
	if (trouble)
		fail_msg("%s: %s", text, trouble);
	run_fire(r);
}

/* The values that were recorded, as text: "1 -2 'abc'". */
static const char *shown(const struct run *r)
{
	static char text[1024];
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < r->nvalues; i++) {
		const struct run_value *v = &r->values[i];

		if (v->kind == KIND_INT)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%lld",
					      i ? " " : "", (long long)v->number);
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s'%s'",
					      i ? " " : "", v->text);
	}
	return text;
}

struct outcome {
	const char *program;
	const char *values;
};

static void check_outcomes(const struct outcome *cases, size_t n, const char *before,
			   const char *after)
{
	char text[1024];

	for (size_t i = 0; i < n; i++) {
		struct run r;

		snprintf(text, sizeof(text), "%s%s%s", before, cases[i].program, after);
		run(&r, text);
		if (r.fault != FAULT_NONE || strcmp(shown(&r), cases[i].values) != 0)
			fail_msg("%s: fault %d, values %s, expected %s", text, r.fault,
				 shown(&r), cases[i].values);
		run_release(&r);
	}
}

/* One expression, its value as recorded with its type. */
static void test_values(void **state)
{
	static const struct outcome cases[] = {
		{"1 + 2 * 3", "7"},
		{"-7 / 2", "-3"},
		{"-7 % 2", "-1"},
		{"-1 < 1u", "0"},
		{"-1 < 1", "1"},
		{"1 ^^ 1", "0"},
		{"3 && 0", "0"},
		{"0 || 9", "1"},
		{"(char)0x1ff", "-1"},
		{"(int16_t)(uint32_t)0xfff0", "-16"},
		{"(uint16_t)0x12345", "9029"},
		{"(long)(1 << 40)", "1099511627776"},
		{"-1u", "4294967295"},
		{"(long)-1u", "4294967295"},
		{"(char)100 + (char)100", "-56"},
		{"(char)100 + (char)100 > 127", "1"},
		{"5000000000", "5000000000"},
		{"0xffffffffffffffff", "-1"},
		{"'a'", "97"},
		{"1, 2", "2"},
		{"sizeof (string)", "256"},
		{"sizeof \"abc\"", "4"},
		{"sizeof (arg0)", "8"},
		{"sizeof (int[3])", "12"},
		{"sizeof ((char)1)", "1"},
		{"\"abc\" < \"abd\"", "1"},
		{"\"abc\" == \"abc\"", "1"},
		{"\"b\" > \"abc\"", "1"},
		{"\"abc\" >= \"abd\"", "0"},
		{"\"a\" != NULL", "1"},
		{"\"\" == NULL", "1"},
		{"\"abc\"[1]", "98"},
		{"*\"abc\"", "97"},
		{"\"abc\" + 1", "'bc'"},
		{"strlen(\"hello\")", "5"},
		{"strlen(\"hello\" + 2)", "3"},
		{"arg2 ? \"x\" : \"y\"", "'x'"},
		{"arg5 ? 1 : 2", "2"},
		{"arg5 ? 1 : arg2 ? 3 : 4", "3"},
		{"arg2 && arg5", "0"},
		{"arg5 && arg2", "0"},
		{"arg2 && arg4", "1"},
		{"arg5 || arg2", "1"},
		{"arg5 || arg5", "0"},
		{"arg2 ^^ arg5", "1"},
		{"arg2 ^^ arg4", "0"},
		{"!arg2", "0"},
		{"!arg5", "1"},
		{"~arg2", "-8"},
		{"-arg2", "-7"},
		{"+arg2", "7"},
		{"arg3 == -1", "1"},
		{"arg3 < arg2", "1"},
		{"(uint64_t)arg3 < arg2", "0"},
		{"(uint64_t)arg3 > 5u", "1"},
		{"arg3 >> 1", "-1"},
		{"(uint64_t)arg3 >> 60", "15"},
		{"1 << arg2", "128"},
		{"(int)arg7", "0"},
		{"(unsigned char)arg3", "255"},
		{"(char)arg3", "-1"},
		{"(long)(unsigned)arg3", "4294967295"},
		{"(long)(int)(unsigned)arg3", "-1"},
		{"(unsigned)(short)arg3", "4294967295"},
		{"arg2 * arg4 / arg6 - arg9 % arg6", "233"},
		{"pid", "1234"},
		{"uregs[2]", "52"},
		{"execname", "'prog'"},
		{"probefunc", "'main'"},
		{"probeprov", "'pid1'"},
		{"NULL", "0"},
		{"(char *)arg4", "100"},
		{"(int *)arg4 + 2", "108"},
		{"2 + (int *)arg4", "108"},
		{"(int *)arg4 - 2", "92"},
		{"(int *)arg4 - (int *)84", "4"},
		{"(char *)arg4 - (char *)84", "16"},
		{"(int *)arg3 > (int *)arg4", "1"},
		{"&((int *)arg4)[3]", "112"},
		{"&*(int *)arg4", "100"},
	};

	(void)state;
	check_outcomes(cases, sizeof(cases) / sizeof(cases[0]), "BEGIN { trace((",
		       ")); }");
}

/* Several statements and their records. */
static void test_statements(void **state)
{
	static const struct outcome cases[] = {
		{"x = 5; y = x++ + ++x; trace(y); trace(x);", "12 7"},
		{"x = 5; trace(x--); trace(--x); trace(x);", "5 3 3"},
		{"x += 5; x -= 1; x *= 6; x /= 4; x %= 4; trace(x);", "2"},
		{"x = 5; x <<= 3; x |= 3; x &= 0x2a; x ^= 1; x >>= 1; trace(x);", "21"},
		{"x = -9; x >>= 1; trace(x); x /= 2; trace(x);", "-5 -2"},
		{"x = 200; y = (char)x; trace(y); y += 100; trace(y);", "-56 44"},
		{"x = (unsigned char)250; x += 10; trace(x); trace(x++); trace(x);",
		 "4 4 5"},
		{"x = 1; trace((x = 7)); trace(x = x + 1);", "7 8"},
		{"x = 1; y = x += 4; trace(y);", "5"},
		{"x = (short)0; trace(x = 70000); trace(x);", "4464 4464"},
		{"a[\"x\", 1] = 10; a[\"x\", 1]++; a[\"y\", 2] = 3; a[\"y\", 2] = 0;"
		 "trace(a[\"x\", 1]); trace(a[\"y\", 2]); trace(a[\"z\", 9]);",
		 "11 0 0"},
		{"a[1] = 1; a[a[a[1]]] += 5; trace(a[1]); trace(a[1]++); "
		 "trace(++a[1]);",
		 "6 6 8"},
		{"a[1] = 3; a[2] = a[1]++ + a[1]--; trace(a[1]); trace(a[2]);", "3 7"},
		{"a[1] += a[2] += a[3] += 4; trace(a[1]); trace(a[2]); trace(a[3]);",
		 "4 4 4"},
		{"a[(char)1] = 5; trace(a[257]); trace(a[1]);", "5 5"},
		{"a[1] = \"s\"; b[\"s\"] = 2; trace(a[1]); trace(b[a[1]]);", "'s' 2"},
		{"self->x = 3; self->x++; trace(self->x); self->x = 0; trace(self->x);",
		 "4 0"},
		{"self->a[1, \"b\"] = 3; self->a[1, \"b\"] *= 3; trace(self->a[1, "
		 "\"b\"]);"
		 "trace(self->a[2, \"b\"]);",
		 "9 0"},
		{"self->s = \"abc\"; trace(self->s); this->s = self->s; "
		 "trace(this->s);",
		 "'abc' 'abc'"},
		{"this->x = 3; this->x *= 2; trace(this->x); trace(this->x++ * 10);",
		 "6 60"},
		{"s = \"abc\"; t = s; s = \"d\"; trace(t); trace(s); s = NULL; "
		 "trace(s == NULL);",
		 "'abc' 'd' 1"},
		{"s = \"abc\"; trace(s == \"abc\"); trace(s < \"abd\"); trace(s == "
		 "NULL);",
		 "1 1 0"},
		{"if (arg2 == 7) trace(1); else trace(2);", "1"},
		{"if (arg2 != 7) trace(1); else trace(2); trace(3);", "2 3"},
		{"if (arg5) { trace(1); } else if (arg2) { trace(2); trace(3); } else "
		 "trace(4);",
		 "2 3"},
		{"if (arg5) trace(1); trace(2);", "2"},
		{"if (arg2) { if (arg5) trace(1); else { trace(2); } }", "2"},
		{"x = arg5 && (y = 1); trace(y); x = arg2 || (y = 2); trace(y);"
		 "x = arg2 && (y = 3); trace(y);",
		 "0 0 3"},
		{"printf(\"%d %s %c %x\", (short)-2, \"hi\", 'c', 5ull);",
		 "-2 'hi' 99 5"},
		{"printf(\"%*.*d|%s\", 6, 2, arg4, probename);", "6 2 100 'entry'"},
		{"printf(\"%p %s\", (char *)arg4, arg5 ? (char *)1 : \"b\");",
		 "100 'b'"},
		{"printf(\"none %%\");", ""},
		{"trace((char)-2); trace((unsigned char)-2); trace((unsigned)-2);",
		 "-2 254 4294967294"},
		{"trace((char *)\"abc\" == NULL); exit(3);", "0 3"},
		{"@a[1] = count(); trunc(@a, 2); trunc(@a, -1); clear(@a); printa(@a);",
		 "2 -1"},
	};

	(void)state;
	check_outcomes(cases, sizeof(cases) / sizeof(cases[0]), "BEGIN { ", " }");
}

static void test_memory(void **state)
{
	static const struct outcome cases[] = {
		{"trace(*(int *)copyin(arg0, 4));", "-2"},
		{"trace(*(unsigned *)copyin(arg0, 4));", "4294967294"},
		{"trace(*(char *)copyin(arg0, 1)); trace(*(uint8_t *)copyin(arg0, 1));",
		 "-2 254"},
		{"trace(*(short *)copyin(arg0 + 8, 2)); trace(((short *)copyin(arg0, "
		 "16))[5]);",
		 "-16 4660"},
		{"trace(*(uint64_t *)copyin(arg0, 8));", "12884901886"},
		{"trace(copyinstr(arg1)); trace(copyinstr(arg1, 3));",
		 "'target' 'tar'"},
		{"trace(strlen(copyinstr(arg1)));", "6"},
		{"trace((string)copyin(arg1, 8)); trace(stringof(copyin(arg1, 8)));",
		 "'target' 'target'"},
		{"this->p = (int *)copyin(arg0, 16); trace(this->p[1]); "
		 "trace(*this->p++);"
		 "trace(*this->p); trace(*--this->p);",
		 "2 -2 2 -2"},
		{"this->p = (int *)copyin(arg0, 16); *this->p = 77; trace(*this->p);"
		 "this->p[1] += 5; trace(this->p[1]); trace(this->p[1]--);"
		 "trace(++this->p[1]); trace(*(this->p + 1));",
		 "77 7 7 7 7"},
		{"this->p = (char *)copyin(arg0, 8); this->p[0] = 300; "
		 "trace(this->p[0]);"
		 "trace(this->p[1]);",
		 "44 -1"},
		{"this->p = (int *)copyin(arg0, 8); this->p += 1; trace(*this->p);"
		 "this->p -= 1; trace(*this->p);",
		 "2 -2"},
		{"trace((*(int (*)[4])copyin(arg0, 16))[1]);", "2"},
		{"this->u = (userland int *)arg0; trace(*this->u); trace(this->u[1]);"
		 "trace(*(this->u + 1));",
		 "-2 2 2"},
		{"trace(**(userland int **)arg8); trace(stringof((userland char "
		 "*)arg1));"
		 "printf(\"%s\", (userland char *)arg1);",
		 "-2 'target' 'target'"},
		{"self->p = arg0; trace(*(int *)copyin(self->p, 4)); self->p = 0;",
		 "-2"},
	};

	(void)state;
	check_outcomes(cases, sizeof(cases) / sizeof(cases[0]), "BEGIN { ", " }");
}

/* The verified table of d-language 6.2, and other conversions on a store. */
static void test_narrowing(void **state)
{
	static const struct outcome cases[] = {
		{"(int32_t)(int16_t)z", "-16"},
		{"(int32_t)(uint16_t)z", "65520"},
		{"(uint32_t)(int16_t)z", "4294967280"},
		{"(uint32_t)(uint16_t)z", "65520"},
		{"(int16_t)(uint32_t)z", "-16"},
		{"(uint16_t)(int32_t)z", "65520"},
		{"(uint8_t)z + (uint8_t)z", "480"},
		{"(uint8_t)((uint8_t)z + (uint8_t)z)", "224"},
		{"(int8_t)(z + z)", "-32"},
		{"-(uint16_t)z", "-65520"},
		{"~(uint8_t)z", "-241"},
		{"(unsigned)z - (unsigned)z - 1u", "-1"},
		{"(unsigned)((unsigned)z - (unsigned)z - 1u)", "4294967295"},
	};

	(void)state;
	check_outcomes(cases, sizeof(cases) / sizeof(cases[0]),
		       "int64_t r; int z; BEGIN { z = 0xfff0; r = ", "; trace(r); }");
}

static void test_clauses(void **state)
{
	static const struct {
		const char *program, *values;
		uint32_t records;
	} cases[] = {
		{"BEGIN { }", "", 1},
		{"BEGIN { ; }", "", 1},
		{"BEGIN { x = 1; }", "", 0},
		{"BEGIN { @ = count(); }", "", 0},
		{"BEGIN { if (arg5) trace(1); }", "", 0},
		{"BEGIN { exit(0); }", "0", 1},
		{"BEGIN { @ = count(); printa(@); }", "", 1},
		{"BEGIN { @ = count(); } BEGIN { clear(@); } BEGIN { trunc(@); }", "",
		 2},
		{"BEGIN /arg2 > 8/ { trace(1); } BEGIN /arg2 > 6/ { trace(2); }", "2",
		 1},
		{"BEGIN { n = 3; } BEGIN /n > 2/ { trace(1); n = 0; } BEGIN /n > 2/ { "
		 "trace(2); }",
		 "1", 1},
		{"BEGIN { this->a = 4; } BEGIN /this->a == 4/ { trace(this->a); }", "4",
		 1},
		{"BEGIN /!x/ { x = 1; trace(x); } BEGIN /x/ { }", "1", 2},
		{"int x; string s; BEGIN { trace(x); trace(s); }", "0 ''", 1},
		{"uint8_t a; int8_t b; BEGIN { a = 200; b = 200; trace(a); trace(b); }",
		 "200 -56", 1},
		{"typedef short s_t; s_t v; BEGIN { v = 70000; trace(v); }", "4464", 1},
		{"string k[int, char]; BEGIN { k[1, 2] = \"v\"; trace(k[1, 258]); }",
		 "'v'", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run r;

		run(&r, cases[i].program);
		if (strcmp(shown(&r), cases[i].values) != 0 ||
		    r.nrecords != cases[i].records)
			fail_msg("%s: %u records, %s", cases[i].program, r.nrecords,
				 shown(&r));
		run_release(&r);
	}
}

static void test_faults(void **state)
{
	static const struct {
		const char *body;
		int32_t fault;
		uint64_t address;
		uint32_t action;
	} cases[] = {
		{"trace(1); trace(*(int *)0);", FAULT_BADADDR, 0, 2},
		{"trace(arg2 / arg5);", FAULT_DIVZERO, 0, 1},
		{"x = arg2; x %= arg5;", FAULT_DIVZERO, 0, 2},
		{"trace(*(int *)arg0);", FAULT_BADADDR, RUN_NUMBERS, 1},
		{"trace(*(int *)copyin(99, 4));", FAULT_BADADDR, 99, 1},
		{"trace(copyinstr(98));", FAULT_BADADDR, 98, 1},
		{"trace(*(userland int *)97);", FAULT_BADADDR, 97, 1},
		{"*(int *)arg0 = 5;", FAULT_BADADDR, RUN_NUMBERS, 1},
		{"trace(uregs[arg4]);", FAULT_ILLOP, 0, 1},
		{"if (arg2) { x = 1; trace(strlen((char *)5)); }", FAULT_BADADDR, 5, 3},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run r;

		snprintf(text, sizeof(text), "BEGIN { %s }", cases[i].body);
		run(&r, text);
		if (r.fault != cases[i].fault || r.fault_action != cases[i].action ||
		    r.fault_address != cases[i].address || r.nrecords)
			fail_msg("%s: fault %d at %llx in %u", text, r.fault,
				 (unsigned long long)r.fault_address, r.fault_action);
		run_release(&r);
	}
}

/* Action 0 is the predicate, and its fault counts as false. */
static void test_predicate_fault(void **state)
{
	struct run r;

	(void)state;
	run(&r, "BEGIN /(*(int *)0) == 0/ { trace(1); } BEGIN { trace(2); }");
	assert_int_equal(r.fault, FAULT_BADADDR);
	assert_int_equal(r.fault_action, 0);
	assert_string_equal(shown(&r), "2");
	run_release(&r);
}

struct agg_seen {
	const struct run *r;
	char text[512];
};

static void see_agg(void *ctx, const struct agg_entry_view *e)
{
	struct agg_seen *s = ctx;
	const struct program_agg *a = program_agg(s->r->image, e->agg);
	size_t n = strlen(s->text), pos = 0;

	for (uint32_t i = 0; i < a->nkeys; i++) {
		const struct program_field *f =
			program_field(s->r->image, a->first_key + i);
		struct tuple_value v;

		assert_int_equal(tuple_next(e->key, e->key_size, &pos, f, &v), 0);
		if (f->kind == KIND_INT)
			n += (size_t)snprintf(s->text + n, sizeof(s->text) - n, "%lld,",
					      (long long)v.number);
		else
			n += (size_t)snprintf(s->text + n, sizeof(s->text) - n, "%.*s,",
					      (int)v.len, v.bytes);
	}
	for (uint32_t i = 0; i < a->words; i++)
		if (e->value[i] || a->words < 3)
			n += (size_t)snprintf(s->text + n, sizeof(s->text) - n,
					      "%u:%lld ", i, (long long)e->value[i]);
}

/* Words of each element's value by index, zeros of histograms left out. */
static void test_aggregations(void **state)
{
	static const struct outcome cases[] = {
		{"@ = count(); @ = count();", "0:2 "},
		{"@ = sum(1); @ = sum(-4);", "0:-3 "},
		{"@ = sum((unsigned)-1); @ = sum((char)-1);", "0:4294967294 "},
		{"@ = min(7); @ = min(-3);", "0:-3 "},
		{"@ = max(7); @ = max(arg4);", "0:100 "},
		{"@ = avg(1); @ = avg(2); @ = avg(4);", "0:3 1:7 "},
		{"@ = quantize(0); @ = quantize(1); @ = quantize(3, 5);",
		 "63:1 64:1 65:5 "},
		{"@ = quantize((1 << 63) - 1);", "126:1 "},
		{"@ = quantize(-1, arg3);", "62:-1 "},
		{"@ = lquantize(-1, 0, 10, 2); @ = lquantize(3, 0, 10, 2, 4);"
		 "@ = lquantize(12, 0, 10, 2);",
		 "0:1 2:4 6:1 "},
		{"@[(char)1, (short)-2, 3, (long)4, \"k\"] = sum(5);",
		 "1,-2,3,4,k,0:5 "},
		{"@[1] = count(); @[(long)1] = count(); @[0x100000001] = count();",
		 "1,0:1 1,0:1 4294967297,0:1 "},
		{"@[1] = count(); @[(unsigned)1] = count(); @[1] = count();", "1,0:3 "},
		{"@[execname, pid] = sum(arg2);", "prog,1234,0:7 "},
		{"a[1] = 5; @[a[1]] = sum(a[1] * 2);", "5,0:10 "},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct agg_seen seen = {0};
		struct run r;

		snprintf(text, sizeof(text), "BEGIN { %s }", cases[i].program);
		run(&r, text);
		seen.r = &r;
		walk_slot(r.state, STATE_SLOT_KEEPER, r.image, see_agg, &seen);
		if (strcmp(seen.text, cases[i].values) != 0)
			fail_msg("%s: %s", text, seen.text);
		run_release(&r);
	}
}

/* ---- operators against C ---- */

typedef int64_t (*oracle)(int op, int64_t x, int64_t y);

static const char *const op_texts[] = {"+", "-", "*",  "/", "%",  "&",	"|",
				       "^", "<", "<=", ">", ">=", "==", "!="};

/* The same operators in the same order, by the compiler of this file. */
#define ORACLE(name, type)                                                             \
	static int64_t name(int op, int64_t a, int64_t b)                              \
	{                                                                              \
		type x = (type)a, y = (type)b;                                         \
		const type results[] = {                                               \
			(type)((uint64_t)x + (uint64_t)y),                             \
			(type)((uint64_t)x - (uint64_t)y),                             \
			(type)((uint64_t)x * (uint64_t)y),                             \
			(type)(x / y),                                                 \
			(type)(x % y),                                                 \
			(type)(x & y),                                                 \
			(type)(x | y),                                                 \
			(type)(x ^ y),                                                 \
		};                                                                     \
		const bool truths[] = {x<y, x <= y, x> y, x >= y, x == y, x != y};     \
                                                                                       \
		return op < 8 ? (int64_t)results[op] : truths[op - 8];                 \
	}

ORACLE(oracle_int, int32_t)
ORACLE(oracle_uint, uint32_t)
ORACLE(oracle_long, int64_t)
ORACLE(oracle_ulong, uint64_t)

static const int64_t samples[] = {1, 2, 7, -1, -8, 1000000007, INT32_MAX, INT32_MIN};

/* x op y of variables, and of the same constants folded: all operators in one program. */
static void check_pair(const char *type, oracle f, int64_t a, int64_t b)
{
	const int nops = (int)(sizeof(op_texts) / sizeof(op_texts[0]));
	char text[4096];
	struct run r;
	size_t n = (size_t)snprintf(text, sizeof(text),
				    "%s x; %s y; BEGIN { x = %lld; y = %lld; ", type,
				    type, (long long)a, (long long)b);

	for (int op = 0; op < nops; op++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "trace(x %s y); trace((%s)%lld %s (%s)%lld); ",
				      op_texts[op], type, (long long)a, op_texts[op],
				      type, (long long)b);
	snprintf(text + n, sizeof(text) - n, "}");
	run(&r, text);
	assert_int_equal(r.nvalues, 2 * nops);
	for (int i = 0; i < 2 * nops; i++)
		if ((int64_t)r.values[i].number != f(i / 2, a, b))
			fail_msg("%s: %s (%s) is %lld, expected %lld", text,
				 op_texts[i / 2], i % 2 ? "folded" : "of variables",
				 (long long)r.values[i].number,
				 (long long)f(i / 2, a, b));
	run_release(&r);
}

static void test_operators(void **state)
{
	static const struct {
		const char *type;
		oracle f;
	} types[] = {
		{"int", oracle_int},
		{"unsigned", oracle_uint},
		{"long", oracle_long},
		{"unsigned long", oracle_ulong},
	};
	const size_t n = sizeof(samples) / sizeof(samples[0]);

	(void)state;
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (size_t i = 0; i < n * n; i++)
			/* The one quotient that does not fit is undefined in C. */
			if (samples[i / n] != INT32_MIN || samples[i % n] != -1)
				check_pair(types[t].type, types[t].f, samples[i / n],
					   samples[i % n]);
}

/* ---- contexts, limits, programs together ---- */

static void test_contexts(void **state)
{
	static const struct {
		const char *body;
		uint32_t contexts;
	} cases[] = {
		{"trace(1);", CONTEXT_ALL},
		{"@[arg0] = count();", CONTEXT_ALL},
		{"trace(cwd);", CONTEXT_FRONT | CONTEXT_KEEPER},
		{"trace(copyinstr(arg0));", CONTEXT_ALL},
		{"trace(uregs[0]);", CONTEXT_ALL},
		{"trace(*(userland int *)arg0);", CONTEXT_KEEPER | CONTEXT_RESIDENT},
		{"trace(cwd); trace(*(userland int *)arg0);", CONTEXT_KEEPER},
		{"if (arg0) trace(curpsinfo_start);", CONTEXT_FRONT | CONTEXT_KEEPER},
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run r;

		snprintf(text, sizeof(text), "BEGIN { %s }", cases[i].body);
		run_compile(&r, text);
		assert_null(run_prepare(&r));
		if (program_clause(r.image, 0)->contexts != cases[i].contexts)
			fail_msg("%s: contexts %u", text,
				 program_clause(r.image, 0)->contexts);
		run_release(&r);
	}
}

/* "1 + (1 + (... x))" with depth additions of something not constant. */
static void deep(char *text, size_t cap, int depth)
{
	size_t n = (size_t)snprintf(text, cap, "BEGIN { trace(");

	for (int i = 0; i < depth; i++)
		n += (size_t)snprintf(text + n, cap - n, "arg2 + (");
	n += (size_t)snprintf(text + n, cap - n, "arg2");
	for (int i = 0; i < depth; i++)
		n += (size_t)snprintf(text + n, cap - n, ")");
	snprintf(text + n, cap - n, "); }");
}

static void test_registers(void **state)
{
	char text[2048];
	struct run r;

	(void)state;
	deep(text, sizeof(text), 31);
	run(&r, text);
	assert_string_equal(shown(&r), "224");
	run_release(&r);
	deep(text, sizeof(text), 32);
	run_compile(&r, text);
	assert_int_equal(r.status, STATUS_SYNTAX);
	assert_non_null(strstr(r.messages.data, "insufficient registers"));
	run_release(&r);
}

/* What n copies of a piece in a program give: the status. */
static int repeated(const char *before, const char *piece, const char *after, int n)
{
	struct strbuf text = {0};
	struct run r;
	int status;

	strbuf_puts(&text, before);
	for (int i = 0; i < n; i++)
		strbuf_puts(&text, piece);
	strbuf_puts(&text, after);
	run_compile(&r, text.data);
	status = r.status;
	if (status)
		assert_non_null(strstr(r.messages.data, "nested too deeply"));
	run_release(&r);
	strbuf_release(&text);
	return status;
}

/* However much is nested, the compiler has an error for it, and room on its stack. */
static void test_nested(void **state)
{
	static const struct {
		const char *before, *piece, *after;
		int accepted;
	} cases[] = {
		{"BEGIN { x = (int ", "*", ")0; }", 256},
		{"BEGIN { trace(sizeof(char ", "[1]", ")); }", 256},
		{"BEGIN { x = (int ", "* const ", ")0; }", 256},
		{"int ", "*", "x; BEGIN { x = 0; }", 256},
		{"extern int f", "()", "; BEGIN { trace(1); }", 256},
		{"BEGIN { trace(", "- ", "1); }", 100},
		{"BEGIN { trace(", "1 ? 1 : ", "1); }", 100},
		{"BEGIN { x = 1; ", "if (x) ", "trace(1); }", 100},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (repeated(cases[i].before, cases[i].piece, cases[i].after,
			     cases[i].accepted))
			fail_msg("%d %s rejected", cases[i].accepted, cases[i].piece);
		if (!repeated(cases[i].before, cases[i].piece, cases[i].after, 200000))
			fail_msg("200000 %s accepted", cases[i].piece);
	}
}

/* Programs of one run share names and one image. */
static void test_programs(void **state)
{
	static const char *const texts[] = {
		"BEGIN { x = 5; @a[1] = count(); }",
		"BEGIN { x += 2; trace(x); @a[1] = count(); }",
		"BEGIN { self->y = x; trace(self->y); printa(@a); }",
	};
	struct dlang_program program;
	struct run r;

	(void)state;
	run_compile(&r, texts[0]);
	for (uint32_t i = 1; i < 3; i++) {
		const struct dlang_source src = {.text = texts[i], .name = "x.d"};

		assert_int_equal(dlang_compile(r.d, &src, &program, &r.messages), 0);
		assert_int_equal(program.first_clause, i);
		assert_int_equal(program.nclauses, 1);
	}
	assert_null(run_prepare(&r));
	assert_int_equal(program_count(r.image, SECTION_AGG), 1);
	run_fire(&r);
	assert_string_equal(shown(&r), "7 7");
	run_release(&r);
}

static void test_strsize(void **state)
{
	static const struct dlang_env env = {0};
	const struct dlang_source src = {
		.text = "BEGIN { s = \"abcdefgh\"; trace(s); trace(sizeof (s)); a[1] = "
			"s;"
			"trace(a[1]); }",
		.name = "x.d",
	};
	struct run r = {.d = dlang_new(&env), .fault = FAULT_NONE};
	struct dlang_program program;

	(void)state;
	dlang_options(r.d)->strsize = 5;
	assert_int_equal(dlang_compile(r.d, &src, &program, &r.messages), 0);
	assert_null(run_prepare(&r));
	assert_int_equal(program_header(r.image)->strsize, 5);
	run_fire(&r);
	assert_string_equal(shown(&r), "'abcde' 5 'abcde'");
	run_release(&r);
}

static void test_stability(void **state)
{
	static const struct {
		const char *text;
		const char *name, *class;
	} cases[] = {
		{"dtrace:::BEGIN { }", "Stable", "Common"},
		{"BEGIN { }", "Unstable", "Common"},
		{"d*:::BEGIN { }", "Unstable", "Common"},
		{"tick-1sec { }", "Unstable", "Common"},
		{"profile:::tick-1sec { }", "Evolving", "Common"},
		{"pid12:::entry { }", "Evolving", "ISA"},
		{"pid12:a.out:main:entry { }", "Private", "Unknown"},
		{"dtrace:::BEGIN { } pid12:::entry { }", "Evolving", "ISA"},
		{"other:::probe { }", "Unstable", "Common"},
	};
	static const struct dlang_env env = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dlang_source src = {.text = cases[i].text, .name = "x.d"};
		struct dlang *d = dlang_new(&env);
		struct dlang_program program;
		struct dlang_stability s;
		struct strbuf messages = {0};

		assert_int_equal(dlang_compile(d, &src, &program, &messages), 0);
		dlang_stability(d, &program, &s);
		assert_string_equal(s.description[0], cases[i].name);
		assert_string_equal(s.description[1], cases[i].name);
		assert_string_equal(s.description[2], cases[i].class);
		assert_string_equal(s.statement[0], "Stable");
		strbuf_release(&messages);
		dlang_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_statements),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_narrowing),
		cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_predicate_fault),
		cmocka_unit_test(test_aggregations),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_strsize),
		cmocka_unit_test(test_stability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
