/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support/hook_code.h"

struct plan_case {
	const char *text;
	size_t size; /* of the function; 0: all */
	enum hook_tactic tactic;
	unsigned patch, covered, padding, ninsns;
};

static size_t length(const char *text)
{
	uint8_t bytes[512];

	return hex_bytes(text, bytes, sizeof(bytes));
}

static const struct plan_case jumps[] = {
	/* push, mov, sub */
	{"55 48 89 e5 48 83 ec 10 c3", 0, HOOK_JMP, 0, 8, 0, 3},
	{"55 53 51 52 56 c3", 0, HOOK_JMP, 0, 5, 0, 5},
	{"55 53 51 52 48 b8 01 02 03 04 05 06 07 08 c3", 0, HOOK_JMP, 0, 14, 0, 5},
	{"f3 0f 1e fa 55 48 89 e5 c3", 0, HOOK_JMP, 0, 5, 0, 2},
	{"b8 01 00 00 00 c3", 0, HOOK_JMP, 0, 5, 0, 1},
	/* a whole function, with nothing after */
	{"31 c0 ff c0 c3", 0, HOOK_JMP, 0, 5, 0, 3},
	{"e9 00 01 00 00", 0, HOOK_JMP, 0, 5, 0, 1},
	{"ff 25 00 01 00 00", 0, HOOK_JMP, 0, 6, 0, 1},
	/* padding: nop forms, int3, a long nop that is only begun */
	{"31 c0 c3 90 90", 3, HOOK_JMP, 0, 5, 2, 2},
	{"31 c0 c3 0f 1f 44 00 00", 3, HOOK_JMP, 0, 5, 2, 2},
	{"31 c0 c3 66 2e 0f 1f 84 00 00 00 00 00", 3, HOOK_JMP, 0, 5, 2, 2},
	{"31 c0 c3 66 90", 3, HOOK_JMP, 0, 5, 2, 2},
	{"c3 cc cc cc cc", 1, HOOK_JMP, 0, 5, 4, 1},
	{"c3 90 cc 66 90", 1, HOOK_JMP, 0, 5, 4, 1},
	{"eb 30 66 90 90", 2, HOOK_JMP, 0, 5, 3, 1},
	/* inside the function, which has no computed jump */
	{"31 c0 c3 90 90 90", 6, HOOK_JMP, 0, 5, 2, 2},
	{"ff e0 0f 1f 00", 2, HOOK_JMP, 0, 5, 3, 1},
	{"f3 c3 0f 1f 00", 2, HOOK_JMP, 0, 5, 3, 1},
	{"f3 0f 1e fa c3", 5, HOOK_JMP, 0, 5, 0, 2},
	/* a branch to byte 5, which is not written; back to the first byte */
	{"74 03 b8 01 00 00 00 c3", 0, HOOK_JMP, 0, 7, 0, 2},
	{"48 ff cf 85 ff 75 f9 c3", 0, HOOK_JMP, 0, 5, 0, 2},
	{"e3 7e 90 90 90 c3", 0, HOOK_JMP, 0, 5, 0, 4},
	/* room for a patch */
	{"90 90 90 90 90 55 c3", 0, HOOK_JMP, 0, 5, 0, 5},
	/* the call is the last */
	{"48 83 ec 08 e8 00 01 00 00 c3", 0, HOOK_JMP, 0, 9, 0, 2},
	{"48 83 ec 08 ff d0 c3", 0, HOOK_JMP, 0, 6, 0, 2},
	{"ff 15 00 01 00 00 c3", 0, HOOK_JMP, 0, 6, 0, 1},
	{"67 e8 00 01 00 00 c3", 0, HOOK_JMP, 0, 6, 0, 1},
	{"48 8b 05 00 10 00 00 c3", 0, HOOK_JMP, 0, 7, 0, 1},
	/* the system call comes after */
	{"b8 01 00 00 00 0f 05 c3", 0, HOOK_JMP, 0, 5, 0, 1},
	/* retargeted calls, the second after endbr64 */
	{"e8 00 01 00 00 c3", 0, HOOK_CALL, 0, 5, 0, 0},
	{"e8 00 01 00 00", 0, HOOK_CALL, 0, 5, 0, 0},
	{"f3 0f 1e fa e8 00 01 00 00 c3", 0, HOOK_CALL, 4, 5, 0, 0},
};

static void test_jumps(void **state)
{
	struct code c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		const struct plan_case *k = &jumps[i];

		code_set(&c, k->text, k->size ? k->size : length(k->text));
		code_plan(&c);
		if (c.plan.reason || c.plan.tactic != k->tactic)
			fail_msg("%s: %s", k->text, hook_reason_text(c.plan.reason));
		assert_int_equal(c.plan.site.v, CODE_AT);
		assert_int_equal(c.plan.patch.v, CODE_AT + k->patch);
		assert_int_equal(c.plan.covered, k->covered);
		assert_int_equal(c.plan.padding, k->padding);
		assert_int_equal(c.plan.ninsns, k->ninsns);
		assert_memory_equal(c.plan.original, c.bytes + k->patch, k->covered);
	}
}

static const struct {
	const char *text;
	size_t size;
	enum hook_reason reason;
} refusals[] = {
	{"c3 55 48 89 e5", 1, HOOK_REASON_ONE_BYTE},
	{"90 e8 00 01 00 00 90", 0, HOOK_REASON_NOP_FIRST},
	{"90 55 48 89 e5 c3", 0, HOOK_REASON_NOP_FIRST},
	{"c3", 1, HOOK_REASON_ONE_BYTE},
	{"c3 90 90 90 00 00", 1, HOOK_REASON_ONE_BYTE},
	{"31 c0 c3 00 00 00", 3, HOOK_REASON_TOO_SHORT},
	{"31 c0 c3", 3, HOOK_REASON_TOO_SHORT},
	/* a nop inside a function whose jumps are not all known */
	{"31 c0 c3 90 90 48 63 04 82 ff e0", 0, HOOK_REASON_TOO_SHORT},
	/* other fillers are no padding: lea, mov %rsi,%rsi */
	{"31 c0 c3 48 8d 76 00", 3, HOOK_REASON_TOO_SHORT},
	{"31 c0 c3 48 89 f6", 3, HOOK_REASON_TOO_SHORT},
	{"31 c0 90 90 90 90", 2, HOOK_REASON_FALLS_OUT},
	{"31 c0 48 89 e5 c3", 4, HOOK_REASON_FALLS_OUT},
	{"e8 00 01 00 00 c3", 3, HOOK_REASON_FALLS_OUT},
	{"31 c0 ff c0 eb fc", 0, HOOK_REASON_BRANCH_INSIDE},
	{"f3 0f 1e fa e8 00 01 00 00 eb f9", 0, HOOK_REASON_BRANCH_INSIDE},
	{"e8 fc ff ff ff c3", 0, HOOK_REASON_BRANCH_INSIDE},
	{"ff d0 48 83 c4 08 c3", 0, HOOK_REASON_CALL_RETURNS_INSIDE},
	{"41 ff d0 90 90 90 c3", 0, HOOK_REASON_CALL_RETURNS_INSIDE},
	{"48 83 ec 08 ff 54 24 08 c3", 0, HOOK_REASON_CALL_BY_STACK},
	{"48 83 ec 08 ff d4 c3", 0, HOOK_REASON_CALL_BY_STACK},
	{"89 c8 0f 05 c3 90", 0, HOOK_REASON_SYSCALL_INSIDE},
	{"0f 05 c3 90 90 90", 0, HOOK_REASON_SYSCALL_INSIDE},
	{"31 c0 0f 34 90 c3", 0, HOOK_REASON_SYSCALL_INSIDE},
	{"31 c0 0f 0b 90 90", 0, HOOK_REASON_TRAP_INSIDE},
	{"31 c0 cc 90 90 c3", 0, HOOK_REASON_TRAP_INSIDE},
	{"31 c0 cd 80 90 c3", 0, HOOK_REASON_TRAP_INSIDE},
	{"31 c0 f4 90 90 c3", 0, HOOK_REASON_TRAP_INSIDE},
	{"31 c0 cb 90 90 90", 0, HOOK_REASON_FAR_INSIDE},
	{"31 c0 0f 01 d5 c3", 0, HOOK_REASON_TRANSACTION_INSIDE},
	{"31 c0 06 90 90 c3", 0, HOOK_REASON_UNKNOWN_INSIDE},
	{"48 c7 c0 0f 00 00 00 0f 05", 0, HOOK_REASON_SIGNAL_FRAME},
	{"06 90 90 90 90 c3", 0, HOOK_REASON_UNKNOWN},
	{"48 b8 01 02", 0, HOOK_REASON_UNKNOWN},
	{"0f 0b", 0, HOOK_REASON_TRAP_INSIDE},
	{"cc c3", 0, HOOK_REASON_TRAP},
	{"cd 80 90 90 90 c3", 0, HOOK_REASON_TRAP},
	{"f4 90 90 90 90 c3", 0, HOOK_REASON_TRAP_INSIDE},
	{"cb 90 90 90 90", 0, HOOK_REASON_FAR},
	{"48 cf 90 90 90", 0, HOOK_REASON_FAR},
	{"0f 34 90 90 90 c3", 0, HOOK_REASON_SYSENTER},
	{"c7 f8 00 01 00 00 c3", 0, HOOK_REASON_TRANSACTION},
	{"0f 01 d5 90 90 c3", 0, HOOK_REASON_TRANSACTION},
};

static void check_refusal(struct code *c, enum hook_reason reason, const char *what)
{
	code_plan(c);
	if (c->plan.reason != reason)
		fail_msg("%s: expected '%s', got '%s'", what, hook_reason_text(reason),
			 hook_reason_text(c->plan.reason));
	assert_int_equal(c->plan.tactic, hook_reason_can_break(reason) ? HOOK_BREAKPOINT
								       : HOOK_REFUSED);
	assert_int_equal(c->plan.covered, 0);
	assert_int_equal(c->plan.patch.v, c->entry.lo.v);
}

static void test_refusals(void **state)
{
	struct code c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const char *text = refusals[i].text;

		code_set(&c, text, refusals[i].size ? refusals[i].size : length(text));
		check_refusal(&c, refusals[i].reason, text);
	}
}

/* Long enough for anything; nothing in it refers to anything. */
static const char plain[] = "55 48 89 e5 48 83 ec 10 31 c0 c9 c3";

/* Without a search: what replaces one instruction, by its displacement or first byte. */
static void test_unsearched(void **state)
{
	atomic_bool is_stopped = true;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		const struct plan_case *k = &jumps[i];
		struct code c;

		code_set(&c, k->text, k->size ? k->size : length(k->text));
		c.module.is_stopped = &is_stopped;
		code_plan(&c);
		if (k->tactic == HOOK_CALL && !k->patch) {
			assert_int_equal(c.plan.tactic, HOOK_CALL);
			continue;
		}
		assert_int_equal(c.plan.tactic, HOOK_BREAKPOINT);
		if (k->padding) /* whether that is unused is not known, either */
			assert_true(c.plan.reason == HOOK_REASON_ONE_BYTE ||
				    c.plan.reason == HOOK_REASON_TOO_SHORT);
		else
			assert_int_equal(c.plan.reason, HOOK_REASON_UNSEARCHED);
	}
}

static void test_function_inside(void **state)
{
	struct addr_range two[] = {{taddr_of(CODE_AT), taddr_of(CODE_AT + 12)},
				   {taddr_of(CODE_AT + 1), taddr_of(CODE_AT + 12)}};
	struct code c;

	(void)state;
	code_set(&c, plain, 12);
	c.module.functions = two;
	c.module.nfunctions = 2;
	check_refusal(&c, HOOK_REASON_FUNCTION_INSIDE, "by symbol");
	code_set(&c, plain, 12);
	c.module.unwound = two;
	c.module.nunwound = 2;
	check_refusal(&c, HOOK_REASON_FUNCTION_INSIDE, "by unwind entry");
	/* a function that runs out of its end into the next */
	code_set(&c, plain, 1);
	c.module.functions = two;
	c.module.nfunctions = 2;
	check_refusal(&c, HOOK_REASON_FUNCTION_INSIDE, "next function");
}

static void test_shadow_stack(void **state)
{
	struct code c;

	(void)state;
	code_set(&c, "48 83 ec 08 e8 00 01 00 00 c3", 10);
	c.entry.has_shadow_stack = true;
	check_refusal(&c, HOOK_REASON_CALL_SHADOWED, "moved call");
	code_set(&c, "e8 00 01 00 00 c3", 6);
	c.entry.has_shadow_stack = true;
	code_plan(&c);
	assert_int_equal(c.plan.tactic, HOOK_CALL);
	code_set(&c, plain, 12);
	c.entry.has_shadow_stack = true;
	code_plan(&c);
	assert_int_equal(c.plan.tactic, HOOK_JMP);
}

static const struct {
	unsigned lo, hi;
	enum hook_reason kind, reason;
} zone_cases[] = {
	{0, 12, HOOK_REASON_RSEQ, HOOK_REASON_RSEQ},
	{0, 1, HOOK_REASON_SIGNAL_FRAME, HOOK_REASON_SIGNAL_FRAME},
	{0, 9, HOOK_REASON_CANCELLATION, HOOK_REASON_CANCELLATION},
	{1, 3, HOOK_REASON_RSEQ, HOOK_REASON_ZONE_INSIDE},
	{7, 9, HOOK_REASON_CANCELLATION, HOOK_REASON_ZONE_INSIDE},
	{8, 12, HOOK_REASON_RSEQ, HOOK_REASON_NONE}, /* eight bytes are taken */
};

static void test_zones(void **state)
{
	struct hook_zone zone;
	struct code c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(zone_cases); i++) {
		code_set(&c, plain, 12);
		zone.range.lo = taddr_of(CODE_AT + zone_cases[i].lo);
		zone.range.hi = taddr_of(CODE_AT + zone_cases[i].hi);
		zone.reason = zone_cases[i].kind;
		c.module.zones = &zone;
		c.module.nzones = 1;
		if (zone_cases[i].reason) {
			check_refusal(&c, zone_cases[i].reason, "zone");
		} else {
			code_plan(&c);
			assert_int_equal(c.plan.tactic, HOOK_JMP);
		}
	}
}

/* Padding that something refers to, that unwinds, or that must stay. */
static void test_padding_in_use(void **state)
{
	static const char text[] = "31 c0 c3 90 90 90 90 90";
	struct addr_range unwound = {taddr_of(CODE_AT + 4), taddr_of(CODE_AT + 8)};
	struct hook_zone zone = {unwound, HOOK_REASON_RSEQ};
	taddr pointer = taddr_of(CODE_AT + 3);
	struct code c;

	(void)state;
	code_set(&c, text, 3);
	c.module.pointers = &pointer;
	c.module.npointers = 1;
	check_refusal(&c, HOOK_REASON_TOO_SHORT, "first byte referred to");
	pointer.v++;
	check_refusal(&c, HOOK_REASON_TOO_SHORT, "second byte referred to");
	code_set(&c, text, 3);
	c.module.unwound = &unwound;
	check_refusal(&c, HOOK_REASON_TOO_SHORT, "unwind entry");
	code_set(&c, text, 3);
	c.module.zones = &zone;
	c.module.nzones = 1;
	check_refusal(&c, HOOK_REASON_TOO_SHORT, "zone");
	/* after what is written anything may be */
	code_set(&c, text, 3);
	pointer.v = CODE_AT + 5;
	c.module.pointers = &pointer;
	c.module.npointers = 1;
	code_plan(&c);
	assert_int_equal(c.plan.padding, 2);
}

static void test_changed(void **state)
{
	uint8_t memory[12];
	struct code c;

	(void)state;
	for (size_t i = 0; i < sizeof(memory); i++) {
		code_set(&c, plain, 12);
		memcpy(memory, c.bytes, sizeof(memory));
		memory[i] ^= 0x40;
		c.entry.memory = memory;
		c.entry.n = sizeof(memory);
		if (i < 8) {
			check_refusal(&c, HOOK_REASON_CHANGED, "changed");
		} else {
			code_plan(&c);
			assert_int_equal(c.plan.tactic, HOOK_JMP);
		}
	}
}

static void test_changed_where_no_jump_goes(void **state)
{
	uint8_t memory[2] = {0xcc, 0x55};
	struct code c;

	(void)state;
	code_set(&c, "c3 55 48 89 e5", 1);
	c.entry.memory = memory;
	c.entry.n = 1;
	check_refusal(&c, HOOK_REASON_CHANGED, "another tool's breakpoint");
	memory[0] = 0xc3;
	check_refusal(&c, HOOK_REASON_ONE_BYTE, "unchanged");
}

static void test_not_code(void **state)
{
	struct code c;

	(void)state;
	code_set(&c, plain, 12);
	c.entry.lo.v = CODE_AT - 1;
	check_refusal(&c, HOOK_REASON_NOT_CODE, "before");
	c.entry.lo.v = CODE_AT + 12;
	c.entry.hi.v = CODE_AT + 13;
	check_refusal(&c, HOOK_REASON_NOT_CODE, "behind");
	code_set(&c, plain, 12);
	c.entry.hi = c.entry.lo;
	check_refusal(&c, HOOK_REASON_NOT_CODE, "empty");
	c.entry.hi.v = c.entry.lo.v - 1;
	check_refusal(&c, HOOK_REASON_NOT_CODE, "backwards");
	code_set(&c, plain, 12);
	c.module.ncode = 0;
	check_refusal(&c, HOOK_REASON_NOT_CODE, "no code");
}

/* A function that the file cuts short. */
static void test_cut_short(void **state)
{
	struct code c;

	(void)state;
	code_set(&c, "55 48 89 e5", 4096);
	check_refusal(&c, HOOK_REASON_UNKNOWN_INSIDE, "cut");
	code_set(&c, "55 48 89", 4096);
	check_refusal(&c, HOOK_REASON_UNKNOWN_INSIDE, "cut in an instruction");
}

static void test_texts(void **state)
{
	(void)state;
	for (int i = 0; i < HOOK_REASON_COUNT; i++)
		assert_true(strlen(hook_reason_text((enum hook_reason)i)) > 5);
	assert_true(hook_reason_can_break(HOOK_REASON_TOO_SHORT));
	assert_false(hook_reason_can_break(HOOK_REASON_RSEQ));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_unsearched),
		cmocka_unit_test(test_function_inside),
		cmocka_unit_test(test_shadow_stack),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_padding_in_use),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_changed_where_no_jump_goes),
		cmocka_unit_test(test_not_code),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
