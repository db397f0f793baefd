/* SPDX-License-Identifier: MIT */
/*
 * Frames by DWARF expressions: each operation, and bytes that make no sense: those end
 * the walk, and evaluation always ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/support/hex.h"
#include "vm/base/cfi_expression.h"

#define STACK UINT64_C(0x7000)
#define PC    UINT64_C(0x400123)
#define BAD   UINT64_C(0xbad)

/* rsp is STACK, rbp STACK + 64; r9 is not known; the word at STACK + 8 N is 100 + N. */
struct expression_case {
	const char *text;
	uint64_t expected; /* BAD: it cannot be evaluated */
};

static const struct expression_case cases[] = {
	{"77 00", STACK},
	{"77 10", STACK + 16},
	{"77 78", STACK - 8},
	{"76 00 77 00 1c", 64},
	{"80 00", PC},
	{"79 00", BAD},
	{"8f 00", BAD},
	{"77 08 06", 101},
	{"77 01 06", BAD},
	{"30 06", BAD},
	{"77 00 23 80 01", STACK + 128},
	{"31", 1},
	{"4f", 31},
	{"08 ff", 0xff},
	{"09 ff", UINT64_MAX},
	{"0a 34 12", 0x1234},
	{"0b 00 80", UINT64_MAX - 0x7fff},
	{"0c 78 56 34 12", 0x12345678},
	{"0d 00 00 00 80", UINT64_MAX << 31},
	{"0e 01 00 00 00 00 00 00 80", UINT64_C(0x8000000000000001)},
	{"0f ff ff ff ff ff ff ff 7f", INT64_MAX},
	{"0c 78 56 34", BAD},
	{"10 80 01", 128},
	{"11 7f", UINT64_MAX},
	{"10 80", BAD},
	{"10 80 80 80 80 80 80 80 80 80 80 80 80 01", 0},
	{"31 12 22", 2},
	{"31 32 13", 1},
	{"31 32 14", 1},
	{"31 32 33 15 02", 1},
	{"31 32 33 15 03", BAD},
	{"31 15", BAD},
	{"31 33 16 1c", 2},
	{"31 16", BAD},
	{"09 ff 19", 1},
	{"31 1f", UINT64_MAX},
	{"30 20", UINT64_MAX},
	{"3f 3a 1a", 10},
	{"3c 3a 21", 14},
	{"3c 3a 27", 6},
	{"09 f8 32 1b", UINT64_MAX - 3},
	{"31 30 1b", BAD},
	{"0f 00 00 00 00 00 00 00 80 09 ff 1b", UINT64_C(1) << 63},
	{"37 33 1d", 1},
	{"31 30 1d", BAD},
	{"37 33 1e", 21},
	{"31 34 24", 16},
	{"31 08 40 24", 0},
	{"09 ff 08 3c 25", 15},
	{"09 ff 08 40 25", 0},
	{"09 f0 34 26", UINT64_MAX},
	{"09 f0 08 40 26", UINT64_MAX},
	{"09 f0 30 26", UINT64_MAX - 15},
	{"31 31 29", 1},
	{"09 ff 31 2a", 0},
	{"32 31 2b", 1},
	{"31 31 2c", 1},
	{"09 ff 31 2d", 1},
	{"31 31 2e", 0},
	{"31 96", 1},
	{"", BAD},
	{"96", BAD},
	{"13", BAD},
	{"31 22", BAD},
	{"03 00 00 00 00 00 00 00 00",
	 BAD},		      /* an address: of the file, not of memory */
	{"2f fd ff", BAD},    /* skip, back to itself */
	{"31 28 fc ff", BAD}, /* bra, back to the beginning */
	{"e0", BAD},
	{"31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31", 1},
	{"31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31", BAD},
};

static bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	(void)ctx;
	*value = 100 + (addr - STACK) / 8;
	return addr >= STACK && addr < STACK + 512;
}

/* A module of one row, and the expression in pieces behind it. */
struct table {
	struct cfi_row row;
	struct cfi_piece pieces[CFI_EXPRESSION_MAX / CFI_PIECE];
};

static struct cfi_module make_table(struct table *t, const char *text)
{
	uint8_t bytes[CFI_EXPRESSION_MAX];
	size_t n = hex_bytes(text, bytes, sizeof(bytes));

	memset(t, 0xff, sizeof(*t));
	for (size_t i = 0; i < n; i++)
		t->pieces[i / CFI_PIECE].bytes[i % CFI_PIECE] = bytes[i];
	t->row = (struct cfi_row){.form = CFI_ROW_EXPRESSION,
				  .reg = REGS_DWARF_SP,
				  .cfa = 1,
				  .after = (int16_t)n};
	return (struct cfi_module){0x400000, 0x401000, (uintptr_t)t,
				   sizeof(*t) / sizeof(t->row)};
}

static bool evaluate(const struct cfi_module *m, const struct cfi_row *row,
		     uint64_t *cfa)
{
	const struct unwind_source source = {.word = read_word};
	struct unwind_regs regs = {.pc = PC};
	struct walk_frame f = {.regs = &regs,
			       .known = 1u << REGS_DWARF_SP | 1u << REGS_DWARF_FP};

	regs.reg[REGS_DWARF_SP] = STACK;
	regs.reg[REGS_DWARF_FP] = STACK + 64;
	return cfi_expression_cfa(m, row, &source, &f, cfa);
}

static void test_operations(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct expression_case *k = &cases[i];
		struct cfi_module m;
		uint64_t cfa = BAD;
		struct table t;
		bool is_good;

		m = make_table(&t, k->text);
		is_good = evaluate(&m, &t.row, &cfa);
		if (is_good != (k->expected != BAD) || (is_good && cfa != k->expected))
			fail_msg("%s: %d, %#llx", k->text, (int)is_good,
				 (unsigned long long)cfa);
	}
}

/* Rows that point anywhere but at pieces. */
static void test_places(void **state)
{
	struct cfi_module m;
	struct table t;
	uint64_t cfa;

	(void)state;
	m = make_table(&t, "31 31 22 31 22 31 22 31 22 31 22 31 22 31 22");
	assert_int_equal(t.row.after, 15);
	assert_true(evaluate(&m, &t.row, &cfa));
	assert_int_equal(cfa, 8);
	for (int32_t at = -2; at < 9; at++) {
		t.row.cfa = at;
		if (at != 1)
			assert_false(evaluate(&m, &t.row, &cfa));
	}
	t.row.cfa = INT32_MIN;
	assert_false(evaluate(&m, &t.row, &cfa));
	t.row.cfa = 1;
	m.nrows = 2; /* the second piece is not its own */
	assert_false(evaluate(&m, &t.row, &cfa));
	m.nrows = 6;
	t.row.after = CFI_EXPRESSION_MAX + 1;
	assert_false(evaluate(&m, &t.row, &cfa));
	t.row.after = -1;
	assert_false(evaluate(&m, &t.row, &cfa));
	t.row.after = 15;
	t.pieces[1].pc = 0x10; /* a row */
	assert_false(evaluate(&m, &t.row, &cfa));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
