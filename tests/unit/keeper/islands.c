/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/keeper/space/detours.h"
#include "vm/base/host/vec.h"

#define PATCH  UINT64_C(0x401000)
#define ISLAND UINT64_C(0x7f0000)

static void check(const struct detours *d, bool has_pun, bool has_chain)
{
	const uint64_t landing = PATCH + HOOK_JUMP + 0x1000;

	for (uint64_t n = 1; n <= HOOK_JUMP; n += HOOK_JUMP - 1)
		for (uint64_t at = 1; at < 20; at++) {
			bool meets = at + n > 10 && at < 10 + HOOK_JUMP;

			assert_int_equal(
				detours_have_islands(d, taddr_of(ISLAND - 10 + at), n),
				has_pun && meets);
			assert_int_equal(
				detours_have_islands(d, taddr_of(landing - 10 + at), n),
				has_chain && meets);
		}
}

/* Islands of punned jumps and of chains, while their detours are on. */
static void test_islands(void **state)
{
	struct detours *d = detours_new();
	const struct detour pun = {
		.plan = {.tactic = HOOK_JMP_PUN,
			 .patch = taddr_of(PATCH + 64),
			 .island = {.at = taddr_of(ISLAND), .covered = HOOK_JUMP}}};
	const struct detour chain = {.plan = {.tactic = HOOK_JMP_CHAIN,
					      .patch = taddr_of(PATCH),
					      .nheads = 1},
				     .patch = {0xe9, 0x00, 0x10, 0x00, 0x00},
				     .number = 1};

	(void)state;
	*vec_push(&d->list) = pun;
	*vec_push(&d->list) = chain;
	check(d, false, false);
	detours_turn_on(d, &d->list.data[0]);
	check(d, true, false);
	detours_turn_on(d, &d->list.data[1]);
	check(d, true, true);
	detours_turn_off(d, &d->list.data[0]);
	check(d, false, true);
	detours_turn_off(d, &d->list.data[1]);
	check(d, false, false);
	detours_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_islands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
