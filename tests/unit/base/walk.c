/* SPDX-License-Identifier: MIT */
/*
 * Walks over made-up stacks by made-up rows: each form of row, what replaces a
 * missing one, and stacks that make no sense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vm/base/walk.h"

#define CODE  UINT64_C(0x400000)
#define STACK UINT64_C(0x7f0000001000)
#define WORDS 64
#define SAME  CFI_SAME
#define END                                                                            \
	{                                                                              \
		0x1000, 0, 0, 0, 0, 0, CFI_ROW_NONE, 0, 0                              \
	}

struct scene {
	const char *name;
	struct cfi_row rows[6]; /* up to the one at 0x1000 */
	uint64_t stack[WORDS];	/* from STACK on */
	uint64_t pc, sp, rbp,
		other; /* words of the stack; other: all other registers */
	bool is_edge;
	uint64_t expected[8]; /* up to 0; offsets into CODE, or whole addresses */
	bool is_truncated;
};

#define AT(word) (STACK + 8 * (word))

static const struct scene scenes[] = {
	{"at what calls the first function, whose rbp leads nowhere good",
	 {{0, 8, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0},
	  {0x100, 0, 0, 0, 0, 0, CFI_ROW_FIRST, 0, 0},
	  END},
	 {CODE + 0x105, 2, 3, AT(5), CODE + 0x20, CODE + 0x20},
	 0,
	 0,
	 3,
	 0,
	 false,
	 {CODE, CODE + 0x105},
	 false},
	{"at the entry of what calls the first function",
	 {{0, 0, 0, 0, 0, 0, CFI_ROW_STOP, 0, 0},
	  {0x100, 0, 0, 0, 0, 0, CFI_ROW_FIRST, 0, 0},
	  END},
	 {CODE + 0x20},
	 0x100,
	 0,
	 3,
	 0,
	 true,
	 {CODE + 0x100, CODE + 0x20},
	 false},
	{"by rsp, twice",
	 {{0, 8, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0},
	  {0x10, 24, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0},
	  {0x100, 0, 0, 0, 0, 0, CFI_ROW_STOP, 0, 0},
	  END},
	 {CODE + 0x20, 1, 2, CODE + 0x105},
	 0,
	 0,
	 0,
	 0,
	 false,
	 {CODE, CODE + 0x20, CODE + 0x105},
	 false},
	{"by rbp, which is saved",
	 {{0, 16, -2, SAME, 0, REGS_DWARF_FP, CFI_ROW_PLAIN, 0, 0},
	  {0x100, 8, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0},
	  END},
	 {1, 2, AT(6), CODE + 0x10, 5, 6, AT(9), CODE + 0x101, 0},
	 0x50,
	 0,
	 2,
	 0,
	 false,
	 {CODE + 0x50, CODE + 0x10, CODE + 0x101},
	 false},
	{"realigned: the CFA is kept below rbp, rbp at rbp",
	 {{0, -8, 0, SAME, 0, REGS_DWARF_FP, CFI_ROW_DEREF, 1, 0},
	  {0x100, 0, 0, 0, 0, 0, CFI_ROW_STOP, 0, 0},
	  END},
	 {0, AT(7), AT(20), 3, 4, 5, CODE + 0x180, 7},
	 0x50,
	 0,
	 2,
	 0,
	 false,
	 {CODE + 0x50, CODE + 0x180},
	 false},
	{"an entry of a PLT before its push, and behind it",
	 {{0, 8, SAME, SAME, 11, REGS_DWARF_SP, CFI_ROW_PLT, 0, 0}, END},
	 {CODE + 0x3b + 1, 99, 0},
	 0x26,
	 0,
	 0,
	 0,
	 false,
	 {CODE + 0x26, CODE + 0x3c},
	 false},
	{"the return address in a register",
	 {{0, 0, SAME, SAME, REGS_DWARF_RDI, REGS_DWARF_SP, CFI_ROW_LINK, 0, 0},
	  {0x100, 0, 0, 0, 0, 0, CFI_ROW_STOP, 0, 0},
	  END},
	 {0},
	 0x50,
	 0,
	 0,
	 CODE + 0x120,
	 false,
	 {CODE + 0x50, CODE + 0x120},
	 false},
	{"a signal handler's caller is what was interrupted, to the byte",
	 {{0, 0, 0, 0, 0, REGS_DWARF_SP, CFI_ROW_SIGNAL, 0, 0},
	  {0x100, 8, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0},
	  {0x200, 0, 0, 0, 0, 0, CFI_ROW_STOP, 0, 0},
	  END},
	 {[20] = AT(40), [21] = CODE + 0x100, [40] = CODE + 0x230},
	 0x50,
	 0,
	 0,
	 0,
	 false,
	 {CODE + 0x50, CODE + 0x100, CODE + 0x230},
	 false},
	{"a return address behind the last byte of its function",
	 {{0, 8, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0},
	  {0x100, 0, 0, 0, 0, 0, CFI_ROW_STOP, 0, 0},
	  END},
	 {CODE + 0x100, CODE + 0x180, 0},
	 0x50,
	 0,
	 0,
	 0,
	 false,
	 {CODE + 0x50, CODE + 0x100, CODE + 0x180},
	 false},
	{"no rows: frames kept by rbp",
	 {END},
	 {0, AT(4), 0x10, 3, 0, 0x20, 6},
	 0x2000,
	 0,
	 1,
	 0,
	 false,
	 {CODE + 0x2000, 0x10, 0x20},
	 false},
	{"no rows, at a function's first instruction",
	 {END},
	 {0x10, AT(4), 0x20, 3, 0, 0x30, 6},
	 0x2000,
	 0,
	 1,
	 0,
	 true,
	 {CODE + 0x2000, 0x10, 0x20, 0x30},
	 false},
	{"a lost rbp that the caller needs",
	 {{0, 8, CFI_LOST, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0},
	  {0x100, 16, -2, SAME, 0, REGS_DWARF_FP, CFI_ROW_PLAIN, 0, 0},
	  END},
	 {CODE + 0x110, AT(3), 2, 3, CODE + 0x120},
	 0x50,
	 0,
	 3,
	 0,
	 false,
	 {CODE + 0x50, CODE + 0x110},
	 true},
	{"r12 is known in the innermost frame only",
	 {{0, 8, SAME, SAME, 0, 12, CFI_ROW_PLAIN, 0, 0}, END},
	 {CODE + 0x10, CODE + 0x20},
	 0x50,
	 0,
	 0,
	 STACK,
	 false,
	 {CODE + 0x50, CODE + 0x10},
	 true},
	{"a frame that does not go up",
	 {{0, -8, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0}, END},
	 {CODE + 0x10, CODE + 0x10, CODE + 0x10, CODE + 0x10},
	 0x50,
	 3,
	 0,
	 0,
	 false,
	 {CODE + 0x50},
	 true},
	{"beyond what can be read",
	 {{0, 8 * WORDS + 8, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0}, END},
	 {CODE + 0x10},
	 0x50,
	 0,
	 0,
	 0,
	 false,
	 {CODE + 0x50},
	 true},
	{"not on a word's boundary",
	 {{0, 11, SAME, SAME, 0, REGS_DWARF_SP, CFI_ROW_PLAIN, 0, 0}, END},
	 {CODE + 0x10, CODE + 0x10},
	 0x50,
	 0,
	 0,
	 0,
	 false,
	 {CODE + 0x50},
	 true},
	{"a caller that no row can tell",
	 {{0, 0, 0, 0, 1, 0, CFI_ROW_STOP, 0, 0}, END},
	 {CODE + 0x10},
	 0x50,
	 0,
	 0,
	 0,
	 false,
	 {CODE + 0x50},
	 true},
	{"no rows, and no frame pointer",
	 {END},
	 {0, 0x10, CODE + 0x10},
	 0x2000,
	 8,
	 1,
	 0,
	 false,
	 {CODE + 0x2000},
	 true},
};

struct context {
	const struct scene *scene;
	struct cfi_modules list;
};

static bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	const struct context *c = ctx;

	if (addr < STACK || addr >= AT(WORDS))
		return false;
	*value = c->scene->stack[(addr - STACK) / 8];
	return true;
}

static const struct cfi_row *find_row(void *ctx, uint64_t pc)
{
	return cfi_find(&((struct context *)ctx)->list, pc);
}

static struct unwind_regs registers(const struct scene *s)
{
	struct unwind_regs regs = {.pc = CODE + s->pc, .is_edge = s->is_edge};

	for (int i = 0; i < REGS_DWARF_COUNT; i++)
		regs.reg[i] = s->other;
	regs.reg[REGS_DWARF_SP] = AT(s->sp);
	regs.reg[REGS_DWARF_FP] = AT(s->rbp);
	return regs;
}

static uint64_t count_rows(const struct scene *s)
{
	uint64_t n = 1;

	while (s->rows[n - 1].pc != 0x1000)
		n++;
	return n;
}

static void test_scenes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
		const struct scene *s = &scenes[i];
		const struct cfi_module m = {CODE, CODE + 0x10000, (uintptr_t)s->rows,
					     count_rows(s)};
		struct context c = {s, {&m, 1}};
		const struct unwind_source source = {
			.ctx = &c, .word = read_word, .row = find_row};
		struct unwind_regs regs = registers(s);
		uint64_t pcs[8] = {0};
		uint32_t n = unwind_walk(&source, &regs, pcs, 8), counted;

		print_message("%s\n", s->name);
		for (uint32_t k = 0; k < 8; k++)
			assert_int_equal(pcs[k], s->expected[k]);
		assert_true(n && pcs[n - 1] && (n == 8 || !pcs[n]));
		assert_int_equal(regs.is_truncated, s->is_truncated);
		assert_true(!regs.is_truncated || regs.pc == pcs[n - 1]);
		regs = registers(s);
		counted = unwind_walk(&source, &regs, NULL, 8);
		assert_int_equal(counted, n);
		regs = registers(s);
		assert_int_equal(unwind_walk(&source, &regs, pcs, 1), 1);
		assert_false(regs.is_truncated); /* no more was asked for */
		regs = registers(s);
		assert_int_equal(unwind_walk(&source, &regs, pcs, 0), 0);
	}
}

static void test_find(void **state)
{
	static const struct cfi_row rows[] = {{.pc = 0}, {.pc = 7}, {.pc = 8}};
	const struct cfi_module modules[] = {
		{0x1000, 0x1010, (uintptr_t)rows, 3},
		{0x1010, 0x1020, (uintptr_t)(rows + 1), 2},
		{0x3000, 0x3010, (uintptr_t)rows, 0},
	};
	const struct cfi_modules list = {modules, 3};
	static const struct {
		uint64_t pc;
		const struct cfi_row *row;
	} cases[] = {
		{0, NULL},	    {0xfff, NULL},	{0x1000, rows},
		{0x1006, rows},	    {0x1007, rows + 1}, {0x1008, rows + 2},
		{0x100f, rows + 2}, {0x1010, NULL},	{0x1017, rows + 1},
		{0x101f, rows + 2}, {0x1020, NULL},	{0x3000, NULL},
		{0x3010, NULL},	    {UINT64_MAX, NULL},
	};
	struct cfi_cached known[4] = {{.pc = 0}};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		uint64_t pc = cases[i / 2].pc;
		const struct cfi_row *row = cases[i / 2].row;
		const struct cfi_row *found = cfi_find_cached(&list, known, 4, pc);

		assert_ptr_equal(cfi_find(&list, pc), row);
		assert_int_equal(found != NULL, row != NULL);
		if (row)
			assert_memory_equal(found, row, sizeof(*row));
	}
}

static bool read_anywhere(void *ctx, uint64_t addr, uint64_t *value)
{
	*value = addr == *(const uint64_t *)ctx ? 0 : CODE;
	return true;
}

static const struct cfi_row *find_none(void *ctx, uint64_t pc)
{
	(void)ctx;
	(void)pc;
	return NULL;
}

/* Code without rows may use the frame pointer for something else. */
static void test_far(void **state)
{
	static const struct {
		uint64_t distance; /* of the frame pointer from the stack pointer */
		uint32_t frames;
	} cases[] = {{0, 2},
		     {64, 2},
		     {WALK_BLIND_MAX, 2},
		     {WALK_BLIND_MAX + 8, 1},
		     {UINT64_C(1) << 40, 1},
		     {(uint64_t)-8, 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t at = STACK + cases[i].distance, pcs[3];
		const struct unwind_source source = {
			.ctx = &at, .word = read_anywhere, .row = find_none};
		struct unwind_regs regs = {.pc = CODE};

		regs.reg[REGS_DWARF_SP] = STACK;
		regs.reg[REGS_DWARF_FP] = at;
		assert_int_equal(unwind_walk(&source, &regs, pcs, 3), cases[i].frames);
		assert_int_equal(regs.is_truncated, cases[i].frames == 1);
	}
}

/* A frame pointer that leads to another stack, below the one of the C functions. */
#define OTHER	 (STACK - UINT64_C(0x100))
#define UP(word) (OTHER + 8 * (word))
#define RETURN	 (CODE + 8)

struct switching {
	uint64_t other[8];	/* from OTHER on */
	unsigned char code[24]; /* from CODE on */
	uint32_t frames;
	bool is_truncated;
};

static bool read_two(void *ctx, uint64_t addr, uint64_t *value)
{
	const struct switching *s = ctx;

	if (addr - OTHER < sizeof(s->other))
		*value = s->other[(addr - OTHER) / 8];
	else if (addr - CODE < sizeof(s->code))
		memcpy(value, &s->code[addr - CODE], 8);
	else
		return false;
	return true;
}

/* The byte of code that is in a file, which has no row for it. */
static uint64_t in_file;

static const struct cfi_row *find_file(void *ctx, uint64_t pc)
{
	static const struct cfi_row none = {.form = CFI_ROW_NONE};

	(void)ctx;
	return pc == in_file ? &none : NULL;
}

static void walk_switch(struct switching s)
{
	const struct unwind_source source = {
		.ctx = &s, .word = read_two, .row = find_file};
	struct unwind_regs regs = {.pc = CODE};
	uint64_t pcs[100];

	regs.reg[REGS_DWARF_SP] = STACK;
	regs.reg[REGS_DWARF_FP] = OTHER;
	assert_int_equal(unwind_walk(&source, &regs, pcs, 100), s.frames);
	assert_int_equal(regs.is_truncated, s.is_truncated);
	assert_true(s.frames == 1 || pcs[1] == RETURN);
}

static void test_switches(void **state)
{
	static const struct switching cases[] = {
		/* linked, after a call */
		{{UP(4), RETURN, 1, 2, 0, RETURN + 16}, {[3] = 0xe8}, 3, false},
		{{0, RETURN}, {[3] = 0xe8}, 2, false},
		{{0, RETURN}, {[6] = 0xff, 0xd0}, 2, false},
		{{0, RETURN}, {[5] = 0xff, 0x50}, 2, false},
		{{0, RETURN}, {[4] = 0xff, 0x54, 0x24}, 2, false},
		{{0, RETURN}, {[2] = 0xff, 0x15}, 2, false},
		{{0, RETURN}, {[1] = 0xff, 0x94, 0x24}, 2, false},
		/* after something else: nothing, a jump, a call that ends elsewhere */
		{{0, RETURN}, {0}, 1, true},
		{{0, RETURN}, {[6] = 0xff, 0xe0}, 1, true},
		{{0, RETURN}, {[2] = 0xe8}, 1, true},
		{{0, RETURN}, {[0] = 0xff, 0x10}, 1, true},
		/* no code at all */
		{{0, 0x1000}, {[3] = 0xe8}, 1, true},
		/* not linked, not upwards, too far */
		{{3, RETURN}, {[3] = 0xe8}, 1, true},
		{{UP(0), RETURN}, {[3] = 0xe8}, 1, true},
		{{UP(0) + WALK_BLIND_MAX, RETURN}, {[3] = 0xe8}, 2, true},
		{{UP(1) + WALK_BLIND_MAX, RETURN}, {[3] = 0xe8}, 1, true},
		/* a circle */
		{{UP(4), RETURN, 1, 2, UP(0), RETURN},
		 {[3] = 0xe8},
		 1 + 2 * WALK_SWITCHES,
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		print_message("%zu\n", i);
		walk_switch(cases[i]);
	}
	/* from a file, and to one */
	for (in_file = CODE; in_file < RETURN; in_file += RETURN - 1 - CODE) {
		walk_switch((struct switching){{0, RETURN}, {[3] = 0xe8}, 1, true});
	}
	in_file = 0;
}

/* Rows and stacks of chance: every walk ends, within what it may read. */
static void test_chance(void **state)
{
	struct scene s = {.name = "chance"};
	uint64_t seed = 1;

	(void)state;
	for (int turn = 0; turn < 200000; turn++) {
		const struct cfi_module m = {CODE, CODE + 0x10000, (uintptr_t)s.rows,
					     6};
		struct context c = {&s, {&m, 1}};
		const struct unwind_source source = {
			.ctx = &c, .word = read_word, .row = find_row};
		struct unwind_regs regs;
		uint64_t pcs[100];
		unsigned char *bytes = (unsigned char *)s.rows;

		for (size_t i = 0; i < sizeof(s.rows); i++) {
			seed = seed * UINT64_C(6364136223846793005) +
			       1442695040888963407u;
			bytes[i] = (unsigned char)(seed >> 56);
		}
		for (int i = 0; i < WORDS; i++) {
			seed = seed * UINT64_C(6364136223846793005) +
			       1442695040888963407u;
			s.stack[i] = seed >> 63 ? AT(seed >> 40 & 63)
						: CODE + (seed >> 50 & 0xfff);
		}
		for (uint32_t i = 0; i < 6; i++) {
			s.rows[i].pc = i * 0x200;
			s.rows[i].cfa %= 300;
		}
		s.pc = seed >> 52;
		regs = registers(&s);
		assert_true(unwind_walk(&source, &regs, pcs, 100) <= 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenes), cmocka_unit_test(test_find),
		cmocka_unit_test(test_far),    cmocka_unit_test(test_switches),
		cmocka_unit_test(test_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
