/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/status.h"
#include "vm/tail_calls.h"

/* Words of a stack from address 0x1000 on; what is above cannot be read. */
#define STACK 0x1000u

static uint64_t words[TAIL_CALLS_MAX + 8];

static int read_words(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	uint64_t i = (addr.v - STACK) / sizeof(*words);

	(void)ctx;
	*bad = addr;
	if (addr.v < STACK || i >= ARRAY_LEN(words) || n != sizeof(*words))
		return STATUS_FAULT;
	memcpy(buf, &words[i], n);
	return 0;
}

static const struct vm_env env = {.read = read_words};

static uint64_t sp_of(uint32_t word)
{
	return STACK + word * sizeof(*words);
}

/* At word 2 of the stack. */
struct visit {
	enum tail_role role;
	uint32_t probe, arg0;
	bool fires;
	uint32_t arg0_then;
};

static void visit(struct tail_calls *t, const struct visit *v)
{
	struct tail_step step = {v->role, v->probe, sp_of(2), v->arg0};

	assert_int_equal(tail_calls_step(t, &env, &step), v->fires);
	if (v->fires)
		assert_int_equal(step.arg0, v->arg0_then);
}

static void visit_all(const struct visit *v, size_t n)
{
	struct tail_calls t = {0};

	for (size_t i = 0; i < n; i++)
		visit(&t, &v[i]);
	assert_int_equal(t.used, 0);
}

static void test_returns(void **state)
{
	static const struct visit by_two[] = {
		{TAIL_BEGIN, 5, 9, false, 0}, {TAIL_ENTER, 5, 0, false, 0},
		{TAIL_PASS, 5, 3, false, 0},  {TAIL_ENTER, 5, 0, false, 0},
		{TAIL_END, 6, 1, false, 0}, /* another function's */
		{TAIL_END, 5, 1, true, 9},    {TAIL_END, 5, 1, false, 0},
	};
	static const struct visit called_by_others[] = {
		{TAIL_ENTER, 5, 0, false, 0},
		{TAIL_PASS, 5, 0, false, 0},
		{TAIL_END, 5, 1, false, 0},
	};
	static const struct visit at_first_instruction[] = {
		{TAIL_BEGIN, 5, 9, false, 0},
		{TAIL_PASS, 5, 0, false, 0},
		{TAIL_END, 5, 0, true, 9},
	};

	(void)state;
	visit_all(by_two, ARRAY_LEN(by_two));
	visit_all(called_by_others, ARRAY_LEN(called_by_others));
	visit_all(at_first_instruction, ARRAY_LEN(at_first_instruction));
}

/* The frame was left by longjmp(): what comes to its place later is not its return. */
static void test_left(void **state)
{
	static const struct visit called[] = {
		{TAIL_BEGIN, 5, 9, false, 0},
		{TAIL_ENTER, 5, 0, false, 0},
		{TAIL_ENTER, 5, 0, false, 0},
		{TAIL_END, 5, 1, false, 0},
	};
	static const struct visit again[] = {
		{TAIL_BEGIN, 5, 9, false, 0}, {TAIL_ENTER, 5, 0, false, 0},
		{TAIL_BEGIN, 5, 8, false, 0}, {TAIL_ENTER, 5, 0, false, 0},
		{TAIL_END, 5, 1, true, 8},    {TAIL_END, 5, 1, false, 0},
	};
	struct tail_calls t = {0};

	(void)state;
	visit_all(called, ARRAY_LEN(called));
	visit_all(again, ARRAY_LEN(again));
	visit(&t, &called[0]);
	visit(&t, &called[1]);
	words[2]++; /* another call, with another return address */
	visit(&t, &called[3]);
	assert_int_equal(t.used, 0);
}

/* A table that is full of calls that may return takes no more; others give way. */
static void test_room(void **state)
{
	struct tail_calls t = {0};

	(void)state;
	for (uint32_t i = 0; i < TAIL_CALLS_MAX + 2; i++) {
		struct tail_step step = {TAIL_BEGIN, 5, sp_of(i), i};

		assert_int_equal(tail_calls_step(&t, &env, &step), i >= TAIL_CALLS_MAX);
		assert_int_equal(step.arg0, i);
	}
	words[1]++;
	for (uint32_t i = 0; i < 2; i++) {
		struct tail_step step = {TAIL_BEGIN, 5, sp_of(TAIL_CALLS_MAX + i), i};

		assert_int_equal(tail_calls_step(&t, &env, &step), i > 0);
	}
	for (uint32_t i = 0; i <= TAIL_CALLS_MAX; i++) {
		struct tail_step step = {TAIL_END, 5, sp_of(i), 0};

		assert_int_equal(tail_calls_step(&t, &env, &step), i != 1);
	}
	assert_int_equal(t.used, 0);
}

/* No return address: it fires at once. A table of any numbers is as good as another. */
static void test_numbers(void **state)
{
	struct tail_step step = {TAIL_BEGIN, 5, 8, 3};
	struct tail_calls t = {0};

	(void)state;
	assert_true(tail_calls_step(&t, &env, &step));
	assert_int_equal(t.used, 0);
	for (int role = TAIL_BEGIN; role < TAIL_ROLES; role++) {
		memset(&t, 0xff, sizeof(t));
		step = (struct tail_step){(enum tail_role)role, 5, sp_of(1), 3};
		assert_int_equal(tail_calls_step(&t, &env, &step), false);
		memset(&t, 0xff, sizeof(t));
		step = (struct tail_step){(enum tail_role)role, UINT32_MAX, UINT64_MAX,
					  3};
		assert_int_equal(tail_calls_step(&t, &env, &step), role == TAIL_BEGIN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
