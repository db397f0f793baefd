/* SPDX-License-Identifier: MIT */
/* Which system calls map code, and when a process makes too many of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>

#include "tracer/keeper/mapped/mapping_calls.h"

#define SECOND UINT64_C(1000000000)
#define SIZE   0x3000
#define AT     0x7000000

static void test_range(void **state)
{
	static const struct {
		enum keeper_hold hold;
		int64_t result;
		uint64_t at, size, prot, flags;
		uint64_t lo, hi;
	} cases[] = {
		{KEEPER_HOLD_MMAP, AT, 0, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, AT,
		 AT + SIZE},
		{KEEPER_HOLD_MMAP, AT, 0, SIZE, PROT_READ, MAP_PRIVATE, 0, 0},
		{KEEPER_HOLD_MMAP, AT, 0, SIZE, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		 0, 0},
		{KEEPER_HOLD_MMAP, -ENOMEM, 0, SIZE, PROT_EXEC, MAP_PRIVATE, 0, 0},
		{KEEPER_HOLD_MMAP, AT, 0, 0, PROT_EXEC, MAP_PRIVATE, 0, 0},
		{KEEPER_HOLD_MMAP, AT, 0, UINT64_MAX, PROT_EXEC, MAP_PRIVATE, 0, 0},
		{KEEPER_HOLD_MPROTECT, 0, AT, SIZE, PROT_READ | PROT_EXEC, 0, AT,
		 AT + SIZE},
		{KEEPER_HOLD_MPROTECT, -EACCES, AT, SIZE, PROT_EXEC, 0, 0, 0},
		{KEEPER_HOLD_MPROTECT, 0, AT, SIZE, PROT_WRITE, 0, 0, 0},
		{KEEPER_HOLD_ALWAYS, AT, AT, SIZE, PROT_EXEC, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const uint64_t args[REGS_SYSCALL_ARGS] = {
			cases[i].at, cases[i].size, cases[i].prot, cases[i].flags};
		struct regs r = {0};
		struct addr_range found;

		regs_set_syscall(&r, cases[i].result, args);
		found = mapping_call_range(cases[i].hold, &r);
		assert_int_equal(found.lo.v, cases[i].lo);
		assert_int_equal(found.hi.v, cases[i].hi);
	}
}

/* How many of n calls, step ns apart, hold a thread; until it is too often. */
static uint64_t held(struct mapping_calls *c, bool is_code, uint64_t n, uint64_t step)
{
	const struct addr_range code = {taddr_of(AT), taddr_of(AT + SIZE)};
	const struct addr_range none = {{0}, {0}};
	uint64_t count = 0;

	for (uint64_t i = 0; i < n; i++)
		count += mapping_call_holds(c, is_code ? &code : &none,
					    SECOND + i * step);
	return count;
}

static void test_often(void **state)
{
	static const struct {
		bool is_code;
		uint64_t n, step, held;
		bool is_often;
	} cases[] = {
		{false, MAPPING_CALLS_MAX, 0, 0, false},
		{false, MAPPING_CALLS_MAX + 1, 0, 1, true},
		{false, 10 * MAPPING_CALLS_MAX, 0, 1, true},
		{false, 10 * MAPPING_CALLS_MAX, SECOND / MAPPING_CALLS_MAX, 0, false},
		{true, MAPPING_CALLS_MAX / MAPPING_CALLS_HOLD, 0,
		 MAPPING_CALLS_MAX / MAPPING_CALLS_HOLD, false},
		{true, MAPPING_CALLS_MAX, 0, MAPPING_CALLS_MAX / MAPPING_CALLS_HOLD + 1,
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mapping_calls c = {0};

		assert_int_equal(held(&c, cases[i].is_code, cases[i].n, cases[i].step),
				 cases[i].held);
		assert_int_equal(c.is_often, cases[i].is_often);
	}
}

/* What mremap(2) has moved; a range has both places, whichever is the lower one. */
static void test_moves(void **state)
{
	static const struct {
		int64_t result;
		uint64_t at, size;
		uint64_t lo, hi, both_lo, both_hi;
	} cases[] = {
		{AT, 0x1000, SIZE, 0x1000, 0x1000 + SIZE, 0x1000, AT + SIZE},
		{0x1000, AT, SIZE, AT, AT + SIZE, 0x1000, AT + SIZE},
		{AT, AT, SIZE, 0, 0, 0, 0},  /* it has grown where it is */
		{AT, 0x1000, 0, 0, 0, 0, 0}, /* it is there twice now */
		{-ENOMEM, AT, SIZE, 0, 0, 0, 0},
		{AT, 0x1000, UINT64_MAX, 0, 0, 0, 0},
		{AT, 0x1000, UINT64_MAX - 0x2000, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const uint64_t args[REGS_SYSCALL_ARGS] = {cases[i].at, cases[i].size};
		struct mapping_move found;
		struct regs r = {0};

		regs_set_syscall(&r, cases[i].result, args);
		found = mapping_call_move(&r);
		assert_int_equal(found.from.lo.v, cases[i].lo);
		assert_int_equal(found.from.hi.v, cases[i].hi);
		if (!cases[i].hi)
			continue;
		assert_int_equal(found.to.v, cases[i].result);
		assert_int_equal(mapping_move_range(&found).lo.v, cases[i].both_lo);
		assert_int_equal(mapping_move_range(&found).hi.v, cases[i].both_hi);
	}
}

/* The last of those that stop is held, and none after it. */
static void test_last_move(void **state)
{
	struct mapping_calls c = {0}, slow = {0};

	(void)state;
	for (uint32_t i = 1; i < 3 * MAPPING_MOVES_MAX; i++)
		assert_int_equal(mapping_move_is_last(&c, SECOND),
				 i == MAPPING_MOVES_MAX);
	assert_false(mapping_move_is_last(&c, 5 * SECOND));
	for (uint32_t i = 1; i < 3 * MAPPING_MOVES_MAX; i++)
		assert_false(mapping_move_is_last(
			&slow, SECOND + i * (SECOND / (MAPPING_MOVES_MAX - 1) + 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_often),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_last_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
