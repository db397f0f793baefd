/* SPDX-License-Identifier: MIT */
/* Nominal sizes of records, elements and variables: what the sizes of buffers count. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/dlang_run.h"

struct sample {
	const char *text;
	uint32_t nominal;
};

static void compile(struct run *r, const char *text)
{
	const char *problem;

	run_compile(r, text);
	problem = r->status ? r->messages.data : run_prepare(r);
	if (problem)
		fail_msg("%s: %s", text, problem);
}

/* Of the first clause. */
static void test_records(void **state)
{
	static const struct sample samples[] = {
		{"int i; BEGIN { printf(\"%d\\n\", i); }", 16},
		{"int i; BEGIN { printf(\"%d %d\\n\", i, i); }", 20},
		{"BEGIN { trace(\"x\"); }", 268},
		{"BEGIN { printf(\"%s\", probename); }", 268},
		{"BEGIN { trace(timestamp); }", 24},
		{"int64_t v; BEGIN { printf(\"%d%d%d%d%d%d%d\", v, v, v, v, v, v, v); "
		 "}",
		 72},
		{"BEGIN { printf(\"literals only\"); printf(\"again\"); }", 12},
		{"BEGIN { exit(0); }", 16},
		{"BEGIN {}", 12},
		{"int n; BEGIN { n = 1; }", 0},
		{"BEGIN { @ = count(); }", 0},
		{"BEGIN { speculate(1); }", 12},
		{"BEGIN { commit(1); }", 0},
		{"char c; short s; BEGIN { trace(c); trace(s); trace(c); }", 20},
		{"char c; int64_t v; BEGIN { trace(c); trace(v); trace(c); }", 28},
		{"struct s { int a; char b; } x; BEGIN { trace(x); }", 24},
		{"int n; BEGIN { if (n) { trace(n); } else { trace(n); } }", 20},
		{"BEGIN { ustack(3); }", 48},
		{"BEGIN { @a = count(); printa(@a); }", 16},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct run r;

		compile(&r, samples[i].text);
		if (program_clause(r.image, 0)->nominal != samples[i].nominal)
			fail_msg("%s: %u", samples[i].text,
				 program_clause(r.image, 0)->nominal);
		run_release(&r);
	}
}

static void test_elements(void **state)
{
	static const struct sample samples[] = {
		{"BEGIN { @ = count(); }", 24},
		{"int k; BEGIN { @[k] = sum(1); }", 24},
		{"int64_t k; BEGIN { @[k] = max(1); }", 32},
		{"BEGIN { @[\"x\"] = count(); }", 280},
		{"BEGIN { @ = avg(1); }", 32},
		{"BEGIN { @ = stddev(1); }", 48},
		{"BEGIN { @ = quantize(1); }", 16 + 127 * 8},
		{"BEGIN { @ = lquantize(1, 0, 10, 1); }", 16 + 12 * 8},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct run r;

		compile(&r, samples[i].text);
		if (program_agg(r.image, 0)->nominal != samples[i].nominal)
			fail_msg("%s: %u", samples[i].text,
				 program_agg(r.image, 0)->nominal);
		run_release(&r);
	}
}

static void test_variables(void **state)
{
	static const struct sample samples[] = {
		{"self int64_t x; BEGIN { self->x = 1; }", 8},
		{"self char x; BEGIN { self->x = 1; }", 1},
		{"self string x; BEGIN { self->x = probename; }", 256},
		{"int x[int]; BEGIN { x[1] = 1; }", 16},
		{"int64_t x[string, int]; BEGIN { x[probename, 2] = 1; }", 276},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct run r;
		uint32_t last;

		compile(&r, samples[i].text);
		last = program_count(r.image, SECTION_VAR) - 1;
		if (program_var(r.image, last)->nominal != samples[i].nominal)
			fail_msg("%s: %u", samples[i].text,
				 program_var(r.image, last)->nominal);
		run_release(&r);
	}
}

/* Memory for each nominal byte: never less than what is taken. */
static void test_growth(void **state)
{
	struct run r;

	(void)state;
	compile(&r, "self char x; BEGIN { trace(self->x); self->x = 1; }");
	/* 48 + 8 + 8 for 16; a cell for a byte */
	assert_int_equal(program_record_growth(r.image), 4);
	assert_int_equal(program_variable_growth(r.image), 64);
	run_release(&r);
	compile(&r, "int i; BEGIN { i = 1; }");
	assert_int_equal(program_record_growth(r.image), 2); /* a fault: 72 for 40 */
	assert_int_equal(program_variable_growth(r.image), 1);
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
