/* SPDX-License-Identifier: MIT */
/*
 * Short jumps: where their islands may be and where not, what a plan and a stub with one
 * look like, and that no two plans use the same bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hook/trampoline.h"
#include "tests/unit/support/hook_code.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#define NOPS_8	 "90 90 90 90 90 90 90 90 "
#define CALLS_8	 "0f 05 0f 05 0f 05 0f 05 " /* system calls: they are not moved */
#define CALLS_32 CALLS_8 CALLS_8 CALLS_8 CALLS_8
/* mov %rdi,%rax; 1: dec %rax; jg 1b: an entry of three bytes */
#define LOOP "48 89 f8 48 ff c8 7f fb "

struct island_case {
	const char *what, *text;
	unsigned lo, hi; /* of the function; one of a byte is at 0 when lo is not */
	unsigned want;	 /* before that instruction */
	enum hook_reason reason; /* or NONE and: */
	unsigned patch, covered, padding;
	unsigned island, entry, taken, ninsns; /* island and what it takes over */
	unsigned arrival, zone, other; /* not 0: there is one at; another want */
	bool is_changed;	       /* the island's first byte, in memory */
};

static const struct island_case cases[] = {
	{"padding behind", LOOP "c3 90 90 90 90 90", 0, 9, 0, 0, 0, 3, 0, 9, 0, 5, 0, 0,
	 0, 0, false},
	{"int3 behind", LOOP "c3 cc cc cc cc cc", 0, 9, 0, 0, 0, 3, 0, 9, 0, 5, 0, 0, 0,
	 0, false},
	{"amid a long nop", LOOP "c3 66 2e 0f 1f 84 00 00 00 00 00", 0, 9, 0, 0, 0, 3,
	 0, 9, 0, 5, 0, 0, 0, 0, false},
	{"padding before", "c3 " NOPS_8 LOOP "c3 55", 9, 18, 9, 0, 9, 3, 0, 1, 0, 5, 0,
	 0, 0, 0, false},
	{"too little padding", LOOP "c3 90 90 90 90 55", 0, 9, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false},
	{"the function runs into it", LOOP "58 90 90 90 90 90", 0, 9, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false},
	{"the one before runs into it", "58 " NOPS_8 LOOP "c3 55", 9, 18, 9,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false},
	{"something arrives in it", LOOP "c3 90 90 90 90 90 90", 0, 9, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, false},
	{"something arrives before it", LOOP "c3 90 90 90 90 90 90 90", 0, 9, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, false},
	{"behind what must stay as it is", LOOP "c3 " NOPS_8, 0, 9, 0, 0, 0, 3, 0, 11,
	 0, 5, 0, 0, 10, 0, false},
	{"it is not as in the file", LOOP "c3 90 90 90 90 90", 0, 9, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, true},
	{"out of reach", LOOP CALLS_32 CALLS_32 CALLS_32 CALLS_32 "c3 " NOPS_8, 0, 137,
	 0, HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false},
	{"amid the function", LOOP "74 0a e9 00 10 00 00 90 90 90 90 90 58 c3", 0, 22,
	 0, 0, 0, 3, 0, 15, 0, 5, 0, 0, 0, 0, false},
	{"a probe stands there", LOOP "74 0a e9 00 10 00 00 90 90 90 90 90 58 c3", 0,
	 22, 0, HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 10, 0, 16, false},
	{"instructions make room", LOOP "31 d2 48 8b 16 c3", 0, 14, 0, 0, 0, 3, 0, 3, 5,
	 10, 4, 0, 0, 0, false},
	{"too few instructions", LOOP "31 d2 c3", 0, 11, 0, HOOK_REASON_BRANCH_INSIDE,
	 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false},
	{"something arrives amid them", LOOP "31 d2 48 8b 16 c3", 0, 14, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, false},
	{"a probe is among them", LOOP "31 d2 48 8b 16 c3", 0, 14, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, false},
	{"what must stay is among them", LOOP "31 d2 48 8b 16 c3", 0, 14, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, false},
	{"a call among them returns", LOOP "e8 00 01 00 00 48 8b 16 c3", 0, 17, 0, 0, 0,
	 3, 0, 3, 5, 10, 3, 0, 0, 0, false},
	{"a jump that nobody knows", LOOP "31 d2 48 63 04 82 ff e0", 0, 16, 0,
	 HOOK_REASON_BRANCH_INSIDE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false},
	{"a ret and one byte of padding", "c3 " NOPS_8 "c3 90 55", 9, 10, 9, 0, 9, 2, 1,
	 1, 0, 5, 0, 0, 0, 0, false},
	{"a pop and a ret", "c3 " NOPS_8 "74 00 5b c3 55", 9, 13, 12, 0, 11, 2, 0, 1, 0,
	 5, 0, 0, 0, 0, false},
	/* the jump's second byte is the one of the jump after: 21 bytes back */
	{"a distance that is given",
	 "c3 55 55 55 55 55 55 55 48 b8 00 00 00 00 00 00 00 00 " CALLS_8 CALLS_8
		 CALLS_8 "74 00 c3 eb fe",
	 8, 47, 44, HOOK_REASON_TOO_SHORT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false},
	{"a distance that is given, and room",
	 "c3 55 55 55 55 55 55 55 48 b8 00 00 00 00 00 00 00 00 48 b8 00 00 00 00 00 "
	 "00 "
	 "00 00 90 90 90 74 00 c3 eb fe",
	 8, 36, 33, 0, 33, 1, 0, 8, 6, 20, 2, 0, 0, 0, false},
};

static const uint8_t *file;
static unsigned before = 1; /* bytes of the function before */
static const struct island_case *current;

static int read_memory(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	(void)ctx;
	memcpy(buf, file + (at.v - CODE_AT), n);
	if (current->is_changed && at.v <= CODE_AT + current->island &&
	    CODE_AT + current->island < at.v + n)
		buf[CODE_AT + current->island - at.v] ^= 0xff;
	return 0;
}

struct got {
	struct hook_plan plans[4];
	size_t n;
};

static void collect(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	struct got *got = ctx;

	(void)first;
	assert_true(got->n < ARRAY_LEN(got->plans));
	for (; n; n--)
		got->plans[got->n++] = *plan;
}

/* The case's module, and the function's plans: the first is that of the wanted site. */
static void plan_case(const struct island_case *k, struct hook_islands *islands,
		      struct got *got)
{
	static struct code c;
	struct hook_probe_point wants[2] = {
		{.pc = taddr_of(CODE_AT + k->want), .is_before = true},
		{.pc = taddr_of(CODE_AT + k->other), .is_before = true}};
	struct addr_range functions[] = {
		{taddr_of(CODE_AT), taddr_of(CODE_AT + before)},
		{taddr_of(CODE_AT + k->lo), taddr_of(CODE_AT + k->hi)}};
	taddr arrival = taddr_of(CODE_AT + k->arrival);
	struct hook_zone zone = {
		{taddr_of(CODE_AT + k->zone), taddr_of(CODE_AT + k->zone + 1)},
		HOOK_REASON_RSEQ};
	struct hook_function f = {.lo = functions[1].lo,
				  .hi = functions[1].hi,
				  .islands = islands,
				  .wants = wants,
				  .nwants = k->other ? 2 : 1,
				  .read = read_memory,
				  .plan = collect,
				  .ctx = got};

	code_set(&c, k->text, 1);
	file = c.bytes;
	current = k;
	c.module.functions = c.module.unwound = functions + !k->lo;
	c.module.nfunctions = c.module.nunwound = 1 + (k->lo != 0);
	c.module.pointers = &arrival;
	c.module.npointers = k->arrival != 0;
	c.module.zones = &zone;
	c.module.nzones = k->zone != 0;
	c.branches = hook_branches_new(&c.module);
	*got = (struct got){.n = 0};
	hook_plan_function(&c.module, c.branches, &f);
	hook_branches_free(c.branches);
}

static void check_island(const struct island_case *k, const struct hook_plan *p)
{
	if (p->patch.v != CODE_AT + k->patch || p->covered != k->covered ||
	    p->padding != k->padding)
		fail_msg("%s: patch %d covered %u padding %u", k->what,
			 (int)(p->patch.v - CODE_AT), p->covered, p->padding);
	if (p->island.at.v != CODE_AT + k->island || p->island.entry != k->entry ||
	    p->island.covered != k->taken || p->island.ninsns != k->ninsns)
		fail_msg("%s: island at %d + %u, %u bytes of %u instructions", k->what,
			 (int)(p->island.at.v - CODE_AT), p->island.entry,
			 p->island.covered, p->island.ninsns);
	assert_memory_equal(p->island.original, file + k->island, k->taken);
	assert_memory_equal(p->original, file + k->patch, hook_plan_held(p));
}

static void test_cases(void **state)
{
	struct got got;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct hook_islands *islands = hook_islands_new();
		const struct hook_plan *p = &got.plans[0];

		plan_case(&cases[i], islands, &got);
		hook_islands_free(islands);
		/* A punned jump may serve what has no room for an island. */
		if (p->tactic == HOOK_JMP_PUN ? !cases[i].reason
					      : p->reason != cases[i].reason)
			fail_msg("%s: %s", cases[i].what, hook_reason_text(p->reason));
		if (!cases[i].reason)
			assert_int_equal(p->tactic, HOOK_JMP_SHORT);
		if (!cases[i].reason)
			check_island(&cases[i], p);
	}
}

/* Without the memory of islands there are none, and the reason is what it was. */
static void test_none(void **state)
{
	struct got got;

	(void)state;
	plan_case(&cases[0], NULL, &got);
	assert_int_equal(got.plans[0].reason, HOOK_REASON_BRANCH_INSIDE);
}

/* Planned again, a site gets the same island; another does not get it. */
static void test_owner(void **state)
{
	static const struct island_case other = {
		"another", "c3 90 90 90 90 90 " LOOP "c3 55",
		6,	   15,
		6,	   HOOK_REASON_BRANCH_INSIDE,
		0,	   0,
		0,	   0,
		0,	   0,
		0,	   0,
		0,	   0,
		false};
	struct island_case first = other;
	struct hook_islands *islands = hook_islands_new();
	struct got got;

	(void)state;
	first.text = LOOP "c3 90 90 90 90 90";
	first.lo = first.want = 0;
	first.hi = 9;
	plan_case(&first, islands, &got);
	assert_int_equal(got.plans[0].island.at.v, CODE_AT + 9);
	plan_case(&first, islands, &got);
	assert_int_equal(got.plans[0].island.at.v, CODE_AT + 9);
	first.text = "55 55 55 55 55 55 55 55 c3 90 90 90 90 90 " LOOP "c3 55";
	first.lo = first.want = 14;
	first.hi = 23;
	before = 9;
	plan_case(&first, islands, &got);
	assert_int_equal(got.plans[0].tactic, HOOK_JMP_PUN);
	hook_islands_free(islands);
	islands = hook_islands_new();
	plan_case(&first, islands, &got);
	assert_int_equal(got.plans[0].island.at.v, CODE_AT + 9);
	before = 1;
	hook_islands_free(islands);
	islands = hook_islands_new();
	plan_case(&other, islands, &got);
	assert_int_equal(got.plans[0].reason, HOOK_REASON_NONE);
	hook_islands_free(islands);
}

static const struct island_case *find_case(const char *what)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (strcmp(cases[i].what, what) == 0)
			return &cases[i];
	fail_msg("no case is called %s", what);
	return NULL;
}

static void build(const char *what, struct hook_plan *plan, struct stub *stub)
{
	struct hook_islands *islands = hook_islands_new();
	struct stub_request req = {.plan = plan,
				   .gate = {8, 16},
				   .site = 7,
				   .stub = taddr_of(CODE_AT + 0x100000),
				   .switch_word = taddr_of(CODE_AT + 0xff000)};
	struct got got;

	plan_case(find_case(what), islands, &got);
	hook_islands_free(islands);
	*plan = got.plans[0];
	assert_int_equal(stub_build(&req, stub), 0);
}

static void check_bytes(const char *text, const uint8_t *bytes)
{
	uint8_t want[64];
	size_t n = hex_bytes(text, want, sizeof(want));

	assert_memory_equal(bytes, want, n);
}

static void test_stubs(void **state)
{
	struct hook_plan plan;
	struct stub stub;

	(void)state;
	build("padding behind", &plan, &stub);
	check_bytes("eb 07", stub.patch);
	check_bytes("e9 f2 ff 0f 00", stub.island);
	/* the moved mov and the way back; then dec, jg, xor, mov, and theirs */
	build("instructions make room", &plan, &stub);
	check_bytes("eb 06", stub.patch);
	check_bytes("e9 1c 00 10 00 e9 f3 ff 0f 00", stub.island);
	check_bytes("48 89 f8 e9 df ff ef ff", stub.bytes + STUB_EPILOGUE);
	check_bytes("48 ff c8 0f 8f d6 ff ef ff 31 d2 48 8b 16 e9 d6 ff ef ff",
		    stub.bytes + STUB_EPILOGUE + 8);
	assert_int_equal(stub_offset_of(&stub, &plan, taddr_of(CODE_AT + 8)),
			 STUB_EPILOGUE + 8 + 9);
	assert_int_equal(stub_offset_of(&stub, &plan, taddr_of(CODE_AT + 3)), -1);
	assert_int_equal(stub_offset_of(&stub, &plan, taddr_of(CODE_AT + 13)), -1);
	build("a distance that is given, and room", &plan, &stub);
	check_bytes("eb eb", stub.patch);
	check_bytes("00 e9", stub.island + 5);
	/* not where the byte after leads to */
	plan.island.entry++;
	assert_int_equal(
		stub_build(&(struct stub_request){.plan = &plan,
						  .gate = {8, 16},
						  .stub = taddr_of(CODE_AT + 0x100000),
						  .switch_word =
							  taddr_of(CODE_AT + 0xff000)},
			   &stub),
		STATUS_INVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_stubs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
