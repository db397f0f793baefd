/* SPDX-License-Identifier: MIT */
/*
 * All sites of a function planned together: which share a hook, which begin before
 * their instruction, which are left to breakpoints and why.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hook/trampoline.h"
#include "tests/unit/support/hook_code.h"

#define WANTS_MAX 8
#define PLANS_MAX 8

/* Letters: b before, x exit, 2 both, n a breakpoint of somebody else. */
struct want_case {
	unsigned at;
	char how;
};

struct plan_case {
	unsigned first, n;
	enum hook_reason reason; /* or NONE and: */
	unsigned patch, covered, padding, ninsns, nsites;
};

struct function_case {
	const char *what, *text;
	size_t size; /* of the function; 0: all */
	struct want_case wants[WANTS_MAX];
	size_t nwants;
	struct plan_case plans[PLANS_MAX];
	size_t nplans;
};

#define REFUSED(first, reason)                                                         \
	{                                                                              \
		first, 1, HOOK_REASON_##reason, 0, 0, 0, 0, 0                          \
	}

static const struct function_case cases[] = {
	{"ret in padding",
	 "55 48 89 e5 48 83 ec 10 c3 90 90 90 90",
	 9,
	 {{8, 'x'}},
	 1,
	 {{0, 1, 0, 8, 5, 4, 1, 1}},
	 1},
	{"ret behind pops",
	 "55 48 89 e5 41 5c 41 5d 5b c3",
	 0,
	 {{9, 'x'}},
	 1,
	 {{0, 1, 0, 4, 6, 0, 4, 1}},
	 1},
	{"entry and ret apart",
	 "55 48 89 e5 90 41 5c 41 5d 5b c3",
	 0,
	 {{0, 'b'}, {10, 'x'}},
	 2,
	 {{0, 1, 0, 0, 5, 0, 3, 1}, {1, 1, 0, 5, 6, 0, 4, 1}},
	 2},
	{"entry and ret in one jump",
	 "31 c0 ff c0 c3",
	 0,
	 {{0, 'b'}, {4, 'x'}},
	 2,
	 {{0, 2, 0, 0, 5, 0, 3, 2}},
	 1},
	{"the entry's jump is made longer",
	 "b8 01 00 00 00 5b c3",
	 0,
	 {{0, 'b'}, {6, 'x'}},
	 2,
	 {{0, 2, 0, 0, 7, 0, 3, 2}},
	 1},
	{"every instruction",
	 "55 48 89 e5 5d c3",
	 0,
	 {{0, '2'}, {1, 'b'}, {4, 'b'}, {5, '2'}},
	 4,
	 {{0, 4, 0, 0, 6, 0, 4, 4}},
	 1},
	{"a tail call",
	 "48 83 ec 08 5b e9 00 10 00 00",
	 0,
	 {{5, 'x'}},
	 1,
	 {{0, 1, 0, 5, 5, 0, 1, 1}},
	 1},
	{"a conditional one, entry and exit",
	 "0f 84 00 10 00 00 c3",
	 0,
	 {{0, '2'}},
	 1,
	 {{0, 1, 0, 0, 6, 0, 1, 2}},
	 1},
	{"an indirect one",
	 "48 89 d0 ff e0",
	 0,
	 {{3, 'x'}},
	 1,
	 {{0, 1, 0, 0, 5, 0, 2, 1}},
	 1},
	{"something jumps to the ret",
	 "85 ff 74 04 41 5c 41 5d c3",
	 0,
	 {{8, 'x'}},
	 1,
	 {REFUSED(0, ONE_BYTE)},
	 1},
	{"something jumps amid the pops",
	 "85 ff 74 02 41 5c 41 5d c3",
	 0,
	 {{8, 'x'}},
	 1,
	 {REFUSED(0, ONE_BYTE)},
	 1},
	{"something jumps to the first pop",
	 "85 ff 74 00 41 5c 41 5d c3",
	 0,
	 {{8, 'x'}},
	 1,
	 {{0, 1, 0, 4, 5, 0, 3, 1}},
	 1},
	{"a call returns before the ret",
	 "e8 00 01 00 00 c3",
	 0,
	 {{5, 'x'}},
	 1,
	 {REFUSED(0, ONE_BYTE)},
	 1},
	{"a call returns to the first pop",
	 "e8 00 01 00 00 41 5c 41 5d c3",
	 0,
	 {{9, 'x'}},
	 1,
	 {{0, 1, 0, 5, 5, 0, 3, 1}},
	 1},
	{"an entry that is a call, and a ret",
	 "e8 00 01 00 00 41 5c 41 5d c3",
	 0,
	 {{0, 'b'}, {9, 'x'}},
	 2,
	 {{0, 1, 0, 0, 5, 0, 0, 1}, {1, 1, 0, 5, 5, 0, 3, 1}},
	 2},
	{"a breakpoint amid the pops",
	 "55 48 89 e5 41 5c 41 5d 5b c3",
	 0,
	 {{6, 'n'}, {9, 'x'}},
	 2,
	 {REFUSED(0, OTHER_PROBE), REFUSED(1, ONE_BYTE)},
	 2},
	{"a breakpoint amid the entry's bytes",
	 "55 48 89 e5 5d 90 90 90 90 c3",
	 0,
	 {{0, 'b'}, {1, 'n'}},
	 2,
	 {REFUSED(0, SITE_INSIDE), REFUSED(1, OTHER_PROBE)},
	 2},
	{"a system call",
	 "b8 01 00 00 00 0f 05 c3",
	 0,
	 {{5, 'b'}},
	 1,
	 {REFUSED(0, SYSCALL_INSIDE)},
	 1},
	{"a loop that leaves",
	 "90 90 90 e2 7b 90 90 c3",
	 0,
	 {{3, 'x'}},
	 1,
	 {REFUSED(0, EXIT_FORM)},
	 1},
	{"a trap",
	 "55 48 89 e5 90 0f 0b",
	 0,
	 {{5, 'b'}},
	 1,
	 {REFUSED(0, TRAP_INSIDE)},
	 1},
	{"a branch among what is moved",
	 "90 48 ff c8 75 fb 5b 5d c3",
	 0,
	 {{8, 'x'}},
	 1,
	 {{0, 1, 0, 4, 5, 0, 4, 1}},
	 1},
	{"two ways out",
	 "85 ff 74 06 41 5c 41 5d 5b c3 41 5c 41 5d 5b c3",
	 0,
	 {{9, 'x'}, {15, 'x'}},
	 2,
	 {{0, 1, 0, 4, 6, 0, 4, 1}, {1, 1, 0, 10, 6, 0, 4, 1}},
	 2},
	/* a table of distances that no one finds */
	{"a computed jump",
	 "48 63 04 82 ff e0 41 5c 41 5d c3",
	 0,
	 {{10, 'x'}},
	 1,
	 {REFUSED(0, ONE_BYTE)},
	 1},
	{"a jump by a table of addresses",
	 "74 0a 48 63 04 82 48 8b 04 c2 ff e0 41 5c 41 5d c3",
	 0,
	 {{10, 'x'}, {16, 'x'}},
	 2,
	 {{0, 1, 0, 6, 6, 0, 2, 1}, {1, 1, 0, 12, 5, 0, 3, 1}},
	 2},
	{"a tail call through a register",
	 "85 ff 74 02 ff e0 41 5c 41 5d c3",
	 0,
	 {{4, 'x'}, {10, 'x'}},
	 2,
	 {{0, 1, 0, 0, 6, 0, 3, 1}, {1, 1, 0, 6, 5, 0, 3, 1}},
	 2},
};

struct collected {
	struct hook_plan plans[PLANS_MAX];
	size_t first[PLANS_MAX], n[PLANS_MAX], len;
};

static void collect(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	struct collected *c = ctx;

	assert_true(c->len < PLANS_MAX);
	c->plans[c->len] = *plan;
	c->first[c->len] = first;
	c->n[c->len++] = n;
}

static void plan_case(const struct function_case *k, struct collected *out)
{
	struct hook_probe_point wants[WANTS_MAX];
	struct hook_function f = {
		.wants = wants, .nwants = k->nwants, .plan = collect, .ctx = out};
	uint8_t ignored[512];
	struct code c;

	code_set(&c, k->text,
		 k->size ? k->size : hex_bytes(k->text, ignored, sizeof(ignored)));
	for (size_t i = 0; i < k->nwants; i++)
		wants[i] = (struct hook_probe_point){
			.pc = taddr_of(CODE_AT + k->wants[i].at),
			.is_before = strchr("b2n", k->wants[i].how) != NULL,
			.is_exit = strchr("x2", k->wants[i].how) != NULL,
			.no_jump = k->wants[i].how == 'n',
		};
	f.lo = c.function.lo;
	f.hi = c.function.hi;
	out->len = 0;
	c.branches = hook_branches_new(&c.module);
	hook_plan_function(&c.module, c.branches, &f);
	hook_branches_free(c.branches);
}

static void check_plan(const struct function_case *k, const struct collected *got,
		       size_t i)
{
	const struct plan_case *want = &k->plans[i];
	const struct hook_plan *p = &got->plans[i];

	if (p->reason != want->reason)
		fail_msg("%s, plan %zu: %s", k->what, i, hook_reason_text(p->reason));
	if (got->first[i] != want->first || got->n[i] != want->n)
		fail_msg("%s, plan %zu: wants %zu + %zu", k->what, i, got->first[i],
			 got->n[i]);
	if (p->reason)
		return;
	if (p->patch.v != CODE_AT + want->patch || p->covered != want->covered ||
	    p->padding != want->padding || p->ninsns != want->ninsns ||
	    p->nsites != want->nsites)
		fail_msg("%s, plan %zu: patch %d covered %u padding %u insns %u sites "
			 "%u",
			 k->what, i, (int)(p->patch.v - CODE_AT), p->covered,
			 p->padding, p->ninsns, p->nsites);
}

static void test_cases(void **state)
{
	struct collected got;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		plan_case(&cases[i], &got);
		if (got.len != cases[i].nplans)
			fail_msg("%s: %zu plans", cases[i].what, got.len);
		for (size_t j = 0; j < got.len; j++)
			check_plan(&cases[i], &got, j);
	}
}

/* Every plan makes a stub, whose heads and points are where the plan says. */
static void test_stubs(void **state)
{
	struct collected got;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		plan_case(&cases[i], &got);
		for (size_t j = 0; j < got.len; j++) {
			const struct hook_plan *p = &got.plans[j];
			struct stub_request req = {
				.plan = p,
				.gate = {8, 16},
				.site = 7,
				.stub = taddr_of(CODE_AT + 0x100000),
				.switch_word = taddr_of(CODE_AT + 0xff000),
			};
			struct stub stub;

			if (p->reason)
				continue;
			assert_int_equal(stub_build(&req, &stub), 0);
			for (int k = 0; k < p->nsites; k++) {
				const struct stub_point *at =
					stub_point_at(&stub, stub.prologues[k]);

				assert_non_null(at);
				assert_true(at->is_prologue);
				if (p->tactic == HOOK_JMP)
					assert_int_equal(at->pc.v,
							 p->patch.v + p->sites[k].at);
				assert_int_equal(stub.bytes[stub.prologues[k] + 16],
						 7 + k);
			}
		}
	}
}

static void test_find(void **state)
{
	struct collected got;

	(void)state;
	plan_case(&cases[5], &got); /* every instruction */
	assert_int_equal(hook_plan_find(&got.plans[0], taddr_of(CODE_AT), false), 0);
	assert_int_equal(hook_plan_find(&got.plans[0], taddr_of(CODE_AT + 4), false),
			 2);
	assert_int_equal(hook_plan_find(&got.plans[0], taddr_of(CODE_AT + 2), false),
			 -1);
	assert_int_equal(hook_plan_find(&got.plans[0], taddr_of(CODE_AT), true), -1);
	plan_case(&cases[7], &got); /* a conditional one */
	assert_int_equal(hook_plan_find(&got.plans[0], taddr_of(CODE_AT), false), 0);
	assert_int_equal(hook_plan_find(&got.plans[0], taddr_of(CODE_AT), true), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
