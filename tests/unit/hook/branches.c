/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "disasm/disasm.h"
#include "hook/branches.h"
#include "tests/unit/support/hook_code.h"
#include "vm/base/bytes.h"

#define DATA_AT UINT64_C(0x402000)

/* Offsets in the code that control may reach, in order, ended by -1. */
struct case_of {
	const char *text;
	int targets[20];
};

/* Code of which only the last body is there, at a place of its own each time. */
struct held {
	const struct hook_bytes *whole;
	struct hook_bytes window;
	uint8_t *bytes;
};

static void hold_code(void *ctx, taddr lo, taddr hi)
{
	struct held *h = ctx;
	const uint64_t end = h->whole->lo.v + h->whole->n;
	const uint64_t to = min_u64(hi.v + INSN_MAX, end);

	assert_true(lo.v >= h->whole->lo.v && lo.v < end);
	h->window.from = (size_t)(lo.v - h->whole->lo.v);
	h->window.held = (size_t)(to - lo.v);
	free(h->bytes);
	h->bytes = malloc(h->window.held);
	assert_non_null(h->bytes);
	memcpy(h->bytes, h->whole->data + h->window.from, h->window.held);
	h->window.data = h->bytes;
}

static size_t read_code(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	const struct held *h = ctx;
	size_t left;
	const uint8_t *p = hook_bytes_at(h->whole, at, &left);

	n = (size_t)min_u64(n, p ? left : 0);
	if (n)
		memcpy(buf, p, n);
	return n;
}

/* The same is found when little of the code is in memory. */
static void check_windows(const struct code *c)
{
	struct held held = {.whole = c->module.code, .window = *c->module.code};
	struct hook_module m = c->module;
	struct hook_branches *b;

	assert_null(m.hold);
	held.window.is_window = true;
	m.code = &held.window;
	m.hold_code = hold_code;
	m.read_code = read_code;
	m.hold_ctx = &held;
	b = hook_branches_new(&m);
	for (size_t i = 0; i < c->part.n; i++) {
		taddr pc = taddr_add(c->part.lo, (int64_t)i);

		assert_int_equal(hook_branches_has(b, pc),
				 hook_branches_has(c->branches, pc));
		assert_int_equal(branches_is_computed(b, pc),
				 branches_is_computed(c->branches, pc));
	}
	hook_branches_free(b);
	free(held.bytes);
}

static void check(struct code *c, const char *what, const int *targets)
{
	c->branches = hook_branches_new(&c->module);
	check_windows(c);
	for (int i = 0; i < (int)c->part.n; i++) {
		bool is_expected = *targets == i;
		taddr pc = taddr_add(c->part.lo, i);

		if (is_expected != hook_branches_has(c->branches, pc))
			fail_msg("%s: byte %d %s", what, i,
				 is_expected ? "not found" : "found");
		if (is_expected)
			targets++;
	}
	assert_int_equal(*targets, -1);
	assert_false(hook_branches_has(c->branches, taddr_of(CODE_AT - 1)));
	hook_branches_free(c->branches);
}

/* The function holds all of the code, or its first byte alone. */
static void check_all(const struct case_of *cases, size_t n, bool is_whole,
		      bool is_fixed)
{
	for (size_t i = 0; i < n; i++) {
		struct code c;

		code_set(&c, cases[i].text,
			 is_whole ? (strlen(cases[i].text) + 1) / 3 : 1);
		c.module.is_fixed = is_fixed;
		check(&c, cases[i].text, cases[i].targets);
	}
}

/* Every code begins with a function, so offset 0 is always one. */
static const struct case_of direct[] = {
	{"90 90 90 90 90 c3", {0, -1}},
	{"eb 01 90 90 c3", {0, 3, -1}},
	{"e9 01 00 00 00 90 90 c3", {0, 6, -1}},
	{"75 01 90 90 c3", {0, 3, -1}},
	{"0f 85 01 00 00 00 90 90 c3", {0, 7, -1}},
	{"e2 01 90 90 c3", {0, 3, -1}},
	{"67 e3 01 90 90 c3", {0, 4, -1}},
	{"e8 01 00 00 00 90 90 c3", {0, 5, 6, -1}},
	{"ff d0 90 c3", {0, 2, -1}},
	{"ff 15 f0 f0 00 00 90 c3", {0, 6, -1}},
	{"ff 1c 24 90 c3", {0, 3, -1}},
	{"c7 f8 01 00 00 00 90 90 c3", {0, 7, -1}},
	{"48 8d 05 01 00 00 00 90 90 c3", {0, 8, -1}},
	/* out of the code: nothing */
	{"e9 00 01 00 00", {0, -1}},
	{"48 8d 05 00 01 00 00 c3", {0, -1}},
	/* not an instruction: goes on after it */
	{"06 eb 01 90 90 c3", {0, 4, -1}},
	/* an address as an immediate counts only in code linked for one address */
	{"b8 03 10 40 00 90 c3", {0, -1}},
};

static void test_direct(void **state)
{
	(void)state;
	check_all(direct, ARRAY_LEN(direct), false, false);
}

/* mov $8 bytes, %rax, and loads of that constant; a jump through words of code. */
#define CONSTANT "48 b8 88 77 66 55 44 33 22 11 "
static const struct case_of read_as_data[] = {
	{CONSTANT "48 8b 0d f1 ff ff ff c3", {0, 2, 3, 4, 5, 6, 7, 8, 9, -1}},
	{CONSTANT "f2 0f 10 05 f0 ff ff ff c3", {0, 2, 3, 4, 5, 6, 7, 8, 9, -1}},
	{CONSTANT "f3 0f 6f 05 f0 ff ff ff c3",
	 {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, -1}},
	{CONSTANT "c5 fb 10 05 f0 ff ff ff c3",
	 {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, -1}},
	/* an immediate follows the displacement */
	{CONSTANT "48 83 3d f0 ff ff ff 05 c3", {0, 2, 3, 4, 5, 6, 7, 8, 9, -1}},
	{CONSTANT "81 3d ee ff ff ff 01 02 03 04 c3", {0, 2, 3, 4, 5, 6, 7, 8, 9, -1}},
	{"ff 25 00 00 00 00 90 90 90 90 90 90 90 90",
	 {0, 6, 7, 8, 9, 10, 11, 12, 13, -1}},
};

static void test_read_as_data(void **state)
{
	(void)state;
	check_all(read_as_data, ARRAY_LEN(read_as_data), true, false);
}

static const struct case_of fixed[] = {
	{"b8 03 10 40 00 90 c3", {0, 3, -1}},
	{"68 06 10 40 00 90 c3", {0, 6, -1}},
	{"48 c7 07 03 10 40 00 90 c3", {0, 3, -1}},
	{"48 c7 05 00 00 00 00 03 10 40 00 c3", {0, 3, 11, -1}},
	/* a displacement is no address */
	{"48 8b 05 03 10 40 00 90 c3", {0, -1}},
	/* a pointer between functions */
	{"c3 90 90 90 90 90 90 90 02 10 40 00 00 00 00 00", {0, 2, -1}},
};

/* movabs, in a function that holds all of it. */
static const struct case_of fixed_long[] = {
	{"48 b8 0b 10 40 00 00 00 00 00 90 90 c3", {0, 11, -1}},
	{"49 be 0b 10 40 00 01 00 00 00 90 90 c3", {0, -1}},
};

static void test_fixed_long(void **state)
{
	(void)state;
	check_all(fixed_long, ARRAY_LEN(fixed_long), true, true);
}

static void test_fixed(void **state)
{
	(void)state;
	check_all(fixed, ARRAY_LEN(fixed), false, true);
}

static void test_pointers(void **state)
{
	taddr pointers[] = {{CODE_AT + 3}, {CODE_AT - 1}, {CODE_AT + 6}, {0}};
	uint64_t words[] = {CODE_AT + 2, CODE_AT << 1, CODE_AT + 4};
	struct hook_bytes data = {
		.lo = taddr_of(DATA_AT), .data = (uint8_t *)words, .n = sizeof(words)};
	const int by_pointer[] = {0, 3, -1}, by_word[] = {0, 2, 4, -1};
	struct code c;

	(void)state;
	code_set(&c, "90 90 90 90 90 c3", 6);
	c.module.pointers = pointers;
	c.module.npointers = ARRAY_LEN(pointers);
	check(&c, "pointers", by_pointer);
	code_set(&c, "90 90 90 90 90 c3", 6);
	c.module.data = &data;
	c.module.ndata = 1;
	c.module.is_fixed = true;
	check(&c, "words", by_word);
}

/*
 * The byte before a function would take its first instruction in, as the call
 * it seems to begin; that is noted too, and does no harm.
 */
static void test_data_between(void **state)
{
	const int targets[] = {0, 2, 5, 6, -1};
	struct addr_range two[2];
	struct code c;

	(void)state;
	code_set(&c, "c3 e8 eb 01 90 90 c3", 1);
	two[0] = c.function;
	two[1] = (struct addr_range){taddr_of(CODE_AT + 2), taddr_of(CODE_AT + 7)};
	c.module.functions = two;
	c.module.nfunctions = 2;
	check(&c, "data between", targets);
}

/* What is known of the instructions of a function that begins at `begin`. */
static const struct reading {
	const char *text;
	size_t size;  /* of the function at 0 */
	size_t begin; /* of another one, which may begin inside of it */
	bool is_read;
	int insns[8]; /* offsets, if so */
} readings[] = {
	{"90 48 89 e5 c3", 5, 0, true, {0, 1, 4, -1}},
	/* inside, at an instruction */
	{"90 48 89 e5 c3", 5, 1, true, {1, 4, -1}},
	/* inside of an instruction: one that reads from 0 on does not see it */
	{"90 48 89 e5 c3", 5, 2, false, {-1}},
	/* a byte that is none */
	{"90 06 48 89 e5 c3", 6, 0, false, {-1}},
	/* the last one leads out of the function */
	{"90 48 89 e5 c3", 3, 0, false, {-1}},
};

static void check_reading(const struct hook_branches *b, const struct reading *r)
{
	const taddr lo = taddr_of(CODE_AT + r->begin), hi = taddr_of(CODE_AT + r->size);
	const int *insn = r->insns;
	taddr last = lo;

	assert_int_equal(branches_are_read(b, (struct addr_range){lo, hi}), r->is_read);
	for (uint64_t at = lo.v; at < hi.v && r->is_read; at++) {
		bool begins = (int)(at - CODE_AT) == *insn;
		taddr before = taddr_of(at);

		assert_int_equal(branches_is_insn(b, before), begins);
		assert_int_equal(branches_insn_before(b, lo, &before), at > lo.v);
		assert_true(before.v == last.v);
		insn += begins;
		last = begins ? taddr_of(at) : last;
	}
	assert_int_equal(*insn, -1);
}

static void test_boundaries(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(readings); i++) {
		const struct reading *r = &readings[i];
		struct addr_range two[2];
		struct code c;

		code_set(&c, r->text, r->size);
		two[0] = c.function;
		two[1] = (struct addr_range){taddr_of(CODE_AT + r->begin),
					     c.function.hi};
		c.module.functions = two;
		c.module.nfunctions = 2;
		c.branches = hook_branches_new(&c.module);
		check_reading(c.branches, r);
		assert_false(branches_are_read(
			c.branches,
			(struct addr_range){c.function.lo, taddr_of(CODE_AT + 100)}));
		hook_branches_free(c.branches);
	}
}

static void store(uint8_t *table, size_t i, int64_t distance)
{
	bytes_store(table + 4 * i, (uint64_t)distance, 4);
}

/*
 * 0  lea table(%rip), %rdx	7  movslq (%rdx,%rdi,4), %rax
 * 11 add %rdx, %rax		14 jmp *%rax		16 nop ...
 */
static const char switching[] = "48 8d 15 f9 0f 00 00 48 63 04 ba 48 01 d0 ff e0 "
				"90 90 90 90 90 90 c3 c3";

static void test_switch_table(void **state)
{
	const int64_t back = (int64_t)(CODE_AT - DATA_AT);
	const int targets[] = {0, 17, 19, -1};
	uint8_t table[16];
	struct hook_bytes data = {
		.lo = taddr_of(DATA_AT), .data = table, .n = sizeof(table)};
	struct code c;

	(void)state;
	code_set(&c, switching, 23);
	c.module.data = &data;
	c.module.ndata = 1;
	store(table, 0, back + 17);
	store(table, 1, back + 23); /* in the code but in another function */
	store(table, 2, back + 19);
	store(table, 3, back - 1); /* not in the code: the table has ended */
	check(&c, "switch", targets);
	store(table, 1, back + 4000);
	check(&c, "a shorter table", (const int[]){0, 17, -1});
	data.n = 3; /* it may be anywhere */
	check(&c, "no table",
	      (const int[]){0, 7, 11, 14, 16, 17, 18, 19, 20, 21, 22, -1});
}

/* The first entries may lead to the table itself. */
static void test_fillers(void **state)
{
	const int64_t back = (int64_t)(CODE_AT - DATA_AT);
	uint8_t table[16];
	struct hook_bytes data = {
		.lo = taddr_of(DATA_AT), .data = table, .n = sizeof(table)};
	struct code c;

	(void)state;
	code_set(&c, switching, 23);
	c.module.data = &data;
	c.module.ndata = 1;
	store(table, 0, 0);
	store(table, 1, 0);
	store(table, 2, back + 17);
	store(table, 3, back + 19);
	check(&c, "fillers", (const int[]){0, 17, 19, -1});
}

/*
 * 0  lea table(%rip), %rdx	7  add (%rdx,%rdi,8), %rdx
 * 11 jmp *%rdx			13 nop ...
 */
static const char switching_far[] = "48 8d 15 f9 0f 00 00 48 03 14 fa ff e2 "
				    "90 90 90 90 90 90 90 90 c3 c3";

static void test_distances_of_8_bytes(void **state)
{
	const int64_t back = (int64_t)(CODE_AT - DATA_AT);
	const uint64_t table[] = {(uint64_t)(back + 17), (uint64_t)(back + 14),
				  (uint64_t)back + (UINT64_C(1) << 32) + 15,
				  (uint64_t)(back + 16)};
	struct hook_bytes data = {
		.lo = taddr_of(DATA_AT), .data = (const uint8_t *)table, .n = 16};
	struct code c;

	(void)state;
	code_set(&c, switching_far, 22);
	c.module.data = &data;
	c.module.ndata = 1;
	check(&c, "two distances", (const int[]){0, 14, 17, -1});
	data.n = sizeof(table); /* the third is too long: the table has ended */
	check(&c, "and what follows", (const int[]){0, 14, 17, -1});
	data.n = 3;
	check(&c, "no table",
	      (const int[]){0, 7, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, -1});
}

/* A long table in the code itself, behind the function: 16 to 22 are instructions. */
static void test_table_in_code(void **state)
{
	static const char text[] = "48 8d 15 39 00 00 00 48 63 04 ba 48 01 d0 ff e0 "
				   "90 90 90 90 90 90 c3";
	enum { TABLE = 64, ENTRIES = 100 };
	struct code c;

	(void)state;
	code_set(&c, text, 23);
	for (size_t i = 0; i < ENTRIES; i++)
		store(c.bytes + TABLE, i, 17 - TABLE);
	store(c.bytes + TABLE, ENTRIES - 1, 19 - TABLE);
	store(c.bytes + TABLE, ENTRIES, INT32_MIN);
	c.part.n = TABLE + (ENTRIES + 1) * 4;
	for (int end = 0; end < 2; end++, c.part.n -= 4) {
		c.branches = hook_branches_new(&c.module);
		check_windows(&c);
		for (int i = 16; i < 22; i++)
			assert_int_equal(
				hook_branches_has(c.branches,
						  taddr_of(CODE_AT + (uint64_t)i)),
				i == 17 || i == 19);
		hook_branches_free(c.branches);
	}
}

/*
 * 0  lea table(%rip), %rdx	7  lea table+8(%rip), %rcx
 * 14 movslq (%rdx,%rdi,4), %rax	18 add %rdx, %rax	21 jmp *%rax
 * 23 mov $0, %eax		28 mov $0, %eax		33 nop ...
 */
static void test_two_tables(void **state)
{
	static const char text[] = "48 8d 15 f9 0f 00 00 48 8d 0d fa 0f 00 00 "
				   "48 63 04 ba 48 01 d0 ff e0 "
				   "b8 00 00 00 00 b8 00 00 00 00 90 90 c3";
	const int64_t back = (int64_t)(CODE_AT - DATA_AT);
	const int targets[] = {0, 23, 28, 33, 34, -1};
	uint8_t table[16];
	struct hook_bytes data = {
		.lo = taddr_of(DATA_AT), .data = table, .n = sizeof(table)};
	struct code c;

	(void)state;
	code_set(&c, text, 36);
	c.module.data = &data;
	c.module.ndata = 1;
	store(table, 0, back + 23);
	store(table, 1, back + 28);
	/* The second table has distances from its own beginning. */
	store(table, 2, back - 8 + 33);
	store(table, 3, back - 8 + 34);
	check(&c, "two tables", targets);
	/* It is the first one's, whose end is loaded for another reason. */
	store(table, 2, back + 33);
	store(table, 3, back + 34);
	check(&c, "one table", targets);
	/* What follows the first one may be of either, and leads into instructions. */
	store(table, 2, back + 24);
	store(table, 3, back + 34);
	check(&c, "neither", (const int[]){0, 23, 28, 34, -1});
}

/*
 * What seems to follow a table leads into instructions: it counts unless control comes to
 * these from where it is known to arrive. 0 to 16: as above.
 */
static void test_beyond_table(void **state)
{
	static const struct {
		const char *what, *text; /* from 16 on */
		size_t n;
		int to[2], targets[4];
	} cases[] = {
		{"one that is known", "b8 00 00 00 00 c3", 22, {16, 17}, {0, 16, -1}},
		{"not known yet", "b8 00 00 00 00 c3", 22, {17, 16}, {0, 16, 17, -1}},
		{"after one", "90 b8 00 00 00 00 c3", 23, {16, 18}, {0, 16, -1}},
		{"not after one",
		 "c3 b8 00 00 00 00 c3",
		 23,
		 {16, 18},
		 {0, 16, 18, -1}},
		{"not known", "b8 00 00 00 00 c3", 22, {21, 17}, {0, 17, 21, -1}},
		{"its beginning",
		 "90 b8 00 00 00 00 c3",
		 23,
		 {16, 17},
		 {0, 16, 17, -1}},
		{"no instruction", "90 06 00 00 00 c3", 22, {16, 17}, {0, 16, 17, -1}},
	};
	const int64_t back = (int64_t)(CODE_AT - DATA_AT);
	uint8_t table[8];
	struct hook_bytes data = {
		.lo = taddr_of(DATA_AT), .data = table, .n = sizeof(table)};
	struct code c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[160];

		snprintf(text, sizeof(text), "%.48s%s", switching, cases[i].text);
		code_set(&c, text, cases[i].n);
		c.module.data = &data;
		c.module.ndata = 1;
		for (int k = 0; k < 2; k++)
			store(table, (size_t)k, back + cases[i].to[k]);
		check(&c, cases[i].what, cases[i].targets);
	}
}

/* 0 lea labels(%rip), %rdx; 7 lea 19(%rip), %rcx; 14 ...; 19 the label */
/* A table that goes on behind what is read of it may lead anywhere in its body. */
static void test_long_table(void **state)
{
	static const struct {
		size_t n,
			inside; /* entries; how many of the first lead into the body */
		int targets[12];
	} cases[] = {
		{HOOK_HELD / 4, HOOK_HELD / 4, {0, 7, 11, 14, 16, 17, 18, 19, 20, -1}},
		{HOOK_HELD / 4 + 9,
		 HOOK_HELD / 4 - 15,
		 {0, 7, 11, 14, 16, 17, 18, 19, 20, -1}},
		{HOOK_HELD / 4 + 9, HOOK_HELD / 4 - 16, {0, 16, 20, -1}},
		{HOOK_HELD / 4 - 1, HOOK_HELD / 4 - 1, {0, 16, 20, -1}},
	};
	const int64_t body = (int64_t)(CODE_AT - DATA_AT);
	static uint8_t table[HOOK_HELD + 64];
	struct code c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct hook_bytes data = {
			.lo = taddr_of(DATA_AT), .data = table, .n = 4 * cases[i].n};
		struct addr_range bodies[] = {
			{taddr_of(CODE_AT), taddr_of(CODE_AT + 20)},
			{taddr_of(CODE_AT + 20), taddr_of(CODE_AT + 21)}};
		char text[160];

		snprintf(text, sizeof(text), "%.48s90 90 90 c3 c3", switching);
		code_set(&c, text, 21);
		c.module.functions = c.module.unwound = bodies;
		c.module.nfunctions = c.module.nunwound = ARRAY_LEN(bodies);
		c.module.data = &data;
		c.module.ndata = 1;
		for (size_t k = 0; k < cases[i].n; k++)
			store(table, k, body + (k < cases[i].inside ? 16 : 20));
		check(&c, "long table", cases[i].targets);
	}
}

static void test_label_distances(void **state)
{
	static const char text[] = "48 8d 15 f9 0f 00 00 48 8d 0d 05 00 00 00 90 90 90 "
				   "ff e0 90 90 90 90 c3";
	const int targets[] = {0, 19, 21, 22, -1};
	uint8_t table[8];
	struct hook_bytes data = {
		.lo = taddr_of(DATA_AT), .data = table, .n = sizeof(table)};
	struct code c;

	(void)state;
	code_set(&c, text, 24);
	c.module.data = &data;
	c.module.ndata = 1;
	store(table, 0, 2);
	store(table, 1, 3);
	check(&c, "labels", targets);
}

/* Indirect jumps that may lead anywhere in the function, and such that leave it. */
static const struct case_of computed[] = {
	/* lea label(%rip), %rdx; add %rax, %rdx; jmp *%rdx */
	{"48 8d 15 05 00 00 00 48 01 c2 ff e2 90 90 c3", {0, 7, 10, 12, 13, 14, -1}},
	/* lea label(%rip), %rdx; lea (%rdx,%rsi,4), %rax; mov %rax, %rcx; jmp *%rcx */
	{"48 8d 15 05 00 00 00 48 8d 04 b2 48 89 c1 ff e1 90 c3",
	 {0, 7, 11, 12, 14, 16, 17, -1}},
	/* the label alone; and with a constant */
	{"48 8d 15 02 00 00 00 ff e2 90 c3", {0, 9, -1}},
	{"48 8d 15 06 00 00 00 48 83 c2 02 ff e2 90 90 90 c3",
	 {0, 7, 11, 13, 14, 15, 16, -1}},
	/* distances of 1 byte and of 2, and addresses of 4 */
	{"0f b6 04 3a 48 01 d0 ff e0 90 c3", {0, 4, 7, 9, 10, -1}},
	{"0f bf 04 7a 48 01 d0 ff e0 90 c3", {0, 4, 7, 9, 10, -1}},
	{"8b 04 ba ff e0 90 c3", {0, 3, 5, 6, -1}},
	/* of 4 bytes, from no table that is known */
	{"8b 04 ba 48 01 d0 ff e0 90 c3", {0, 3, 6, 8, 9, -1}},
	/* a sum of what is not known */
	{"48 01 d0 ff e0 90 c3", {0, 3, 5, 6, -1}},
	/* whole addresses: from memory, the stack, a call, an argument */
	{"48 8b 07 31 c9 ff e0", {0, -1}},
	{"48 8b 04 f7 ff e0", {0, -1}},
	{"58 ff e0", {0, -1}},
	{"e8 00 01 00 00 ff e0", {0, 5, -1}},
	{"ff e7", {0, -1}},
	{"48 89 f8 5b ff e0", {0, -1}},
	/* hidden by a rotation and a secret (glibc) */
	{"48 8b 57 38 48 c1 ca 11 64 48 33 14 25 28 00 00 00 ff e2", {0, -1}},
	/* what is before does not run on to the jump */
	{"75 05 48 01 d0 eb f9 ff e0", {0, 7, -1}},
	/* by a table that is made elsewhere: then there is code that only it leads to */
	{"ff 24 f7 31 c0 c3", {0, 3, 5, -1}},
	{"ff 67 08 0f 1f 00 31 c0 c3", {0, 3, 6, 8, -1}},
	{"ff 24 f7 90 cc", {0, -1}},
	{"75 03 ff 24 f7 31 c0 c3", {0, 5, -1}},
	{"75 03 ff 24 f7 90 31 c0 c3", {0, 5, -1}},
	/* code that nothing leads to, and no jump that may */
	{"c3 31 c0 c3", {0, -1}},
};

static void test_computed(void **state)
{
	(void)state;
	check_all(computed, ARRAY_LEN(computed), true, false);
}

/* The label that a jump is computed from is in another function, before or behind. */
static void test_computed_elsewhere(void **state)
{
	static const char before[] = "90 90 c3 48 8d 15 f6 ff ff ff 48 01 c2 ff e2";
	static const char behind[] = "48 8d 15 05 00 00 00 48 01 c2 ff e2 90 90 c3";
	struct addr_range two[2];
	struct code c;

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint64_t middle = CODE_AT + (i ? 12 : 3);

		code_set(&c, i ? behind : before, 15);
		two[0] = (struct addr_range){c.function.lo, taddr_of(middle)};
		two[1] = (struct addr_range){taddr_of(middle), c.function.hi};
		c.module.functions = two;
		c.module.nfunctions = 2;
		check(&c, i ? "behind" : "before",
		      i ? (const int[]){0, 7, 10, 12, 13, 14, -1}
			: (const int[]){0, 1, 2, 3, 10, 13, -1});
	}
}

/* Asked to stop, it knows nothing: something may arrive at each byte. */
static void test_stopped(void **state)
{
	static const int all[] = {0, 3, -1};
	atomic_bool is_stopped = true;
	struct code c;

	(void)state;
	code_set(&c, "eb 01 90 90 c3", 1);
	c.module.is_stopped = &is_stopped;
	c.branches = hook_branches_new(&c.module);
	assert_false(hook_branches_are_read(c.branches));
	for (int64_t i = 0; i < (int64_t)c.part.n; i++)
		assert_true(hook_branches_has(c.branches, taddr_add(c.part.lo, i)));
	assert_true(branches_is_computed(c.branches, c.part.lo));
	assert_false(hook_branches_has(c.branches, taddr_of(CODE_AT - 1)));
	hook_branches_free(c.branches);
	is_stopped = false;
	check(&c, "not stopped", all);
}

static void test_empty(void **state)
{
	struct hook_module none = {0};
	struct hook_branches *b = hook_branches_new(&none);

	(void)state;
	assert_false(hook_branches_has(b, taddr_of(CODE_AT)));
	hook_branches_free(b);
	hook_branches_free(NULL);
}

/* Ranges that lie outside the code, backwards, or reach beyond it. */
static void test_hostile_ranges(void **state)
{
	struct addr_range ranges[] = {
		{taddr_of(0), taddr_of(UINT64_MAX)},
		{taddr_of(CODE_AT), taddr_of(UINT64_MAX)},
		{taddr_of(CODE_AT + 2), taddr_of(CODE_AT + 1)},
		{taddr_of(UINT64_MAX), taddr_of(UINT64_MAX)},
	};
	struct code c;

	(void)state;
	code_set(&c, "eb 02 90 90 90 c3", 6);
	c.module.functions = ranges;
	c.module.nfunctions = ARRAY_LEN(ranges);
	check(&c, "hostile", (const int[]){0, 2, 4, -1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_read_as_data),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_fixed_long),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_data_between),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_switch_table),
		cmocka_unit_test(test_fillers),
		cmocka_unit_test(test_distances_of_8_bytes),
		cmocka_unit_test(test_table_in_code),
		cmocka_unit_test(test_two_tables),
		cmocka_unit_test(test_beyond_table),
		cmocka_unit_test(test_long_table),
		cmocka_unit_test(test_label_distances),
		cmocka_unit_test(test_computed),
		cmocka_unit_test(test_computed_elsewhere),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_hostile_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
