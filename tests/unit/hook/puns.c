/* SPDX-License-Identifier: MIT */
/*
 * Punned jumps: which sites take one, which bytes it depends on, what it writes, and that
 * it comes after all other tactics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "hook/trampoline.h"
#include "tests/unit/support/hook_code.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

/* je 5; je 4; 4: ret; 5: mov -4(%rsi,%rdx),%ecx; 9: ret: as glibc's memcpy has it */
#define RET    "74 03 74 00 c3 8b 4c 16 fc c3 "
#define NOPS_5 "90 90 90 90 90 "

struct pun_case {
	const char *what, *text;
	unsigned size;	      /* of the function */
	unsigned want, other; /* sites; other 0: none */
	enum hook_tactic tactic;
	unsigned covered, arrival, changed; /* not 0: there; in memory */
};

static const struct pun_case cases[] = {
	{"a ret between two targets", RET "55", 10, 4, 0, HOOK_JMP_PUN, 1, 0, 0},
	{"a one-byte entry", "53 8b 4c 3e fc 48 ff cf 7f f7 5b c3 55", 12, 0, 0,
	 HOOK_JMP_PUN, 1, 0, 0},
	{"an entry of two bytes", "31 c0 8b 4c 16 fc 0f 05 48 ff cf 7f f5 c3 55", 14, 0,
	 0, HOOK_JMP_PUN, 2, 0, 0},
	{"a jump into a long instruction", "f0 48 0f b1 0f 48 ff cf 7f f7 c3 55", 11, 0,
	 0, HOOK_JMP_PUN, 5, 1, 0},
	{"the same, and padding for an island", "f0 48 0f b1 0f c3 " NOPS_5, 6, 0, 0,
	 HOOK_JMP_PUN, 5, 1, 0},
	{"it leads far down", "74 03 74 00 c3 8b 4c 16 bf c3 55", 10, 4, 0,
	 HOOK_JMP_CHAIN, 6, 0, 0},
	{"it leads not too far down", "74 03 74 00 c3 8b 4c 16 c0 c3 55", 10, 4, 0,
	 HOOK_JMP_PUN, 1, 0, 0},
	{"it leads far up", "74 03 74 00 c3 8b 4c 16 7f c3 55", 10, 4, 0, HOOK_JMP_PUN,
	 1, 0, 0},
	{"a site among the next four bytes", RET "55", 10, 4, 5, HOOK_JMP_CHAIN, 6, 0,
	 0},
	{"a site right behind them", "74 03 74 00 c3 8b 4c 16 fc 0f 05 c3 55", 12, 4, 9,
	 HOOK_JMP_PUN, 1, 0, 0},
	{"the function ends amid them", RET "55", 8, 4, 0, HOOK_BREAKPOINT, 0, 0, 0},
	{"the function ends with them", RET "55", 9, 4, 0, HOOK_JMP_PUN, 1, 0, 0},
	{"the first of them differs in memory", RET "55", 10, 4, 0, HOOK_BREAKPOINT, 0,
	 0, 5},
	{"the last of them differs in memory", RET "55", 10, 4, 0, HOOK_BREAKPOINT, 0,
	 0, 8},
	{"the byte behind them differs", RET "55", 10, 4, 0, HOOK_JMP_PUN, 1, 0, 9},
	{"the site differs in memory", RET "55", 10, 4, 0, HOOK_REFUSED, 0, 0, 4},
	{"a system call is not moved", "0f 05 8b 4c 16 fc 48 ff cf 7f f7 c3 55", 12, 0,
	 0, HOOK_BREAKPOINT, 0, 0, 0},
	{"there is room for a jump", "48 89 f8 31 c0 c3 55", 6, 0, 0, HOOK_JMP, 5, 0,
	 0},
	{"there is room for a short jump", "48 89 f8 48 ff c8 7f fb c3 " NOPS_5, 9, 0,
	 0, HOOK_JMP_SHORT, 3, 0, 0},
};

static struct code c;
static unsigned changed;
static const atomic_bool *is_cut; /* the search for branches */

static int read_memory(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	(void)ctx;
	memcpy(buf, c.bytes + (at.v - CODE_AT), n);
	if (changed && at.v <= CODE_AT + changed && CODE_AT + changed < at.v + n)
		buf[CODE_AT + changed - at.v] ^= 0xff;
	return 0;
}

static struct hook_plan got[4];
static size_t ngot;

static void collect(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	(void)ctx;
	assert_true(first + n <= ARRAY_LEN(got));
	for (; n; n--)
		got[ngot++] = *plan;
}

/* Plans the sites at the offsets, of the function [0, size) of c. */
static void plan(size_t size, const unsigned *at, size_t n,
		 struct hook_islands *islands)
{
	struct hook_probe_point wants[4];
	struct hook_function f = {.lo = taddr_of(CODE_AT),
				  .hi = taddr_of(CODE_AT + size),
				  .islands = islands,
				  .wants = wants,
				  .nwants = n,
				  .read = read_memory,
				  .plan = collect};

	for (size_t i = 0; i < n; i++)
		wants[i] = (struct hook_probe_point){.pc = taddr_of(CODE_AT + at[i]),
						     .is_before = true};
	ngot = 0;
	c.module.is_stopped = is_cut;
	c.branches = hook_branches_new(&c.module);
	hook_plan_function(&c.module, c.branches, &f);
	hook_branches_free(c.branches);
	assert_int_equal(ngot, n);
}

static void plan_case(const struct pun_case *k, struct hook_islands *islands)
{
	const unsigned at[] = {k->want, k->other};
	taddr arrival = taddr_of(CODE_AT + k->arrival);

	code_set(&c, k->text, k->size);
	c.module.pointers = &arrival;
	c.module.npointers = k->arrival != 0;
	changed = k->changed;
	plan(k->size, at, k->other ? 2 : 1, islands);
	c.module.npointers = 0;
	changed = 0;
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct pun_case *k = &cases[i];
		struct hook_islands *islands = hook_islands_new();
		int64_t distance = 0;

		plan_case(k, islands);
		hook_islands_free(islands);
		if (got[0].tactic != k->tactic ||
		    (k->covered && got[0].covered != k->covered))
			fail_msg("%s: tactic %d, %u bytes: %s", k->what,
				 (int)got[0].tactic, got[0].covered,
				 hook_reason_text(got[0].reason));
		if (k->tactic != HOOK_JMP_PUN)
			continue;
		distance = (int32_t)bytes_load(c.bytes + k->want + 1, 4);
		assert_int_equal(got[0].patch.v, CODE_AT + k->want);
		assert_int_equal(got[0].island.at.v,
				 CODE_AT + k->want + HOOK_JUMP + (uint64_t)distance);
		assert_int_equal(got[0].island.covered, HOOK_JUMP);
		assert_int_equal(hook_plan_patched(&got[0]), 1);
		assert_int_equal(hook_plan_held(&got[0]), HOOK_JUMP);
		assert_memory_equal(got[0].original, c.bytes + k->want, HOOK_JUMP);
	}
}

/* They need not know what may jump where: no other tactic is left without that. */
static void test_unsearched(void **state)
{
	atomic_bool is_stopped = true;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct pun_case *k = &cases[i];
		struct hook_islands *islands = hook_islands_new();

		is_cut = &is_stopped;
		plan_case(k, islands);
		is_cut = NULL;
		hook_islands_free(islands);
		if (k->tactic == HOOK_JMP_PUN)
			assert_int_equal(got[0].tactic, HOOK_JMP_PUN);
		else
			assert_true(got[0].tactic >= HOOK_BREAKPOINT ||
				    got[0].tactic == HOOK_JMP_PUN);
	}
}

/* Without the memory of islands there are none. */
static void test_none(void **state)
{
	(void)state;
	plan_case(&cases[0], NULL);
	assert_int_equal(got[0].tactic, HOOK_BREAKPOINT);
	assert_int_equal(got[0].reason, HOOK_REASON_TOO_SHORT);
}

/* Of two whose jumps would lead to bytes in common, the second has none. */
static void test_same_island(void **state)
{
	static const char *const second[] = {
		"81 4c 16 fc", /* the same place */
		"85 4c 16 fc", /* its last byte is the first one's first */
		"7d 4c 16 fc", /* ... and the other way round */
		"86 4c 16 fc", "7c 4c 16 fc",
	};
	static const unsigned at[] = {4, 14};
	char text[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(second); i++) {
		struct hook_islands *islands = hook_islands_new();

		snprintf(text, sizeof(text), RET "74 03 74 00 c3 %s c3 55", second[i]);
		code_set(&c, text, 20);
		/* the second byte of the displacement is not what begins there */
		plan(20, at, 2, islands);
		assert_int_equal(got[0].tactic, HOOK_JMP_PUN);
		assert_int_equal(got[1].tactic, i == 1	? HOOK_JMP_CHAIN
						: i < 3 ? HOOK_BREAKPOINT
							: HOOK_JMP_PUN);
		hook_islands_free(islands);
	}
}

/* The island of a short jump changes bytes that a punned jump would depend on. */
static void test_held(void **state)
{
	static const unsigned at[] = {4, 16};

	(void)state;
	for (size_t n = 1; n <= 2; n++) {
		struct hook_islands *islands = hook_islands_new();

		code_set(&c,
			 "74 03 74 00 c3 8b 4c 16 fc 31 d2 48 8b 16 74 00 48 89 f8 48 "
			 "ff c8 7f fb c3 55",
			 25);
		plan(25, at, n, islands);
		assert_int_equal(got[0].tactic,
				 n == 1 ? HOOK_JMP_PUN : HOOK_BREAKPOINT);
		hook_islands_free(islands);
	}
	assert_int_equal(got[1].tactic, HOOK_JMP_SHORT);
	assert_int_equal(got[1].island.at.v, CODE_AT + 5);
}

static int build(const struct hook_plan *p, struct stub *stub)
{
	const struct stub_request req = {.plan = p,
					 .gate = {8, 16},
					 .site = 7,
					 .stub = taddr_of(CODE_AT + 0x100000),
					 .switch_word = taddr_of(CODE_AT + 0xff000)};

	return stub_build(&req, stub);
}

static void check_bytes(const char *text, const uint8_t *bytes)
{
	uint8_t want[64];
	size_t n = hex_bytes(text, want, sizeof(want));

	assert_memory_equal(bytes, want, n);
}

/* A stub as ever; what is written is one byte, and the island jumps to the stub. */
static void test_stub(void **state)
{
	struct hook_islands *islands = hook_islands_new();
	struct hook_plan p;
	struct stub stub;

	(void)state;
	plan_case(&cases[1], islands); /* push %rbx; mov -4(%rsi,%rdi),%ecx */
	p = got[0];
	assert_int_equal(build(&p, &stub), 0);
	check_bytes("e9 8b 4c 3e fc", stub.patch);
	/* from CODE_AT + 5 - 0x3c1b375 to CODE_AT + 0x100000 */
	check_bytes("e9 6b b3 d1 03", stub.island);
	check_bytes("53 e9 df ff ef ff", stub.bytes + STUB_EPILOGUE);
	assert_int_equal(stub_offset_of(&stub, &p, taddr_add(p.patch, 1)), -1);
	p.island.at.v++;
	assert_int_equal(build(&p, &stub), STATUS_INVAL);
	p.island.at.v--;
	p.original[4] ^= 1;
	assert_int_equal(build(&p, &stub), STATUS_INVAL);
	/* the other way, further than the island's jump reaches */
	p = got[0];
	bytes_store(p.original + 1, 0x80000000, 4);
	p.island.at = hook_pun_target(&p);
	assert_int_equal(build(&p, &stub), STATUS_RANGE);
	hook_islands_free(islands);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),	    cmocka_unit_test(test_none),
		cmocka_unit_test(test_same_island), cmocka_unit_test(test_held),
		cmocka_unit_test(test_stub),	    cmocka_unit_test(test_unsearched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
