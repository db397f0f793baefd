/* SPDX-License-Identifier: MIT */
/* Where a pc stands among sites and copies, without a process: no memory is touched. */
#include "tracer/keeper/space/bpt.h"
#include "vm/base/host/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define CODE  UINT64_C(0x400000)
#define ARENA UINT64_C(0x7f0000000000)
#define JUMP  5u /* bytes behind the moved instruction */

enum { SHORT, LONG, EMULATED, SITES };

static const struct {
	uint64_t addr, copy;
	uint8_t len;
} sites[SITES] = {
	[SHORT] = {CODE, ARENA, 1},
	[LONG] = {CODE + 64, ARENA + 1 + JUMP, 7},
	[EMULATED] = {CODE + 128, 0, 2},
};

static struct space *two_copies(void)
{
	struct space *s = space_new();
	struct bpt_arena arena = {.lo = ARENA, .size = 4096};

	for (uint32_t i = 0; i < SITES; i++) {
		struct insn in = {.addr = taddr_of(sites[i].addr), .len = sites[i].len};
		struct bpt_site *site = bpt_add(s, &in);

		site->insn_len = sites[i].len;
		site->copy = sites[i].copy;
		if (!site->copy)
			continue;
		site->copy_len = (uint8_t)(sites[i].len + JUMP);
		*vec_push(&arena.sites) = i;
		arena.used = site->copy + site->copy_len - ARENA;
	}
	*vec_push(&s->arenas) = arena;
	return s;
}

static void test_where(void **state)
{
	static const struct {
		uint64_t pc;
		enum stop_where where;
		int site; /* -1: none */
	} cases[] = {
		{CODE, WHERE_ORIGINAL, -1},
		{CODE + 1, WHERE_BEHIND, SHORT},
		{CODE + 2, WHERE_ORIGINAL, -1},
		{CODE + 64, WHERE_ORIGINAL, -1},
		{CODE + 65, WHERE_TRAPPED, LONG},
		{CODE + 71, WHERE_ORIGINAL, -1}, /* behind the whole instruction */
		{CODE + 129, WHERE_TRAPPED, EMULATED},
		{ARENA - 1, WHERE_ORIGINAL, -1},
		{ARENA, WHERE_COPY_BEFORE, SHORT},
		{ARENA + 1, WHERE_COPY_AFTER, SHORT}, /* at the jump back */
		{ARENA + JUMP, WHERE_COPY_AFTER, SHORT},
		{ARENA + 1 + JUMP, WHERE_COPY_BEFORE, LONG},
		{ARENA + 1 + JUMP + 6, WHERE_COPY_BEFORE, LONG},
		{ARENA + 1 + JUMP + 7, WHERE_COPY_AFTER, LONG},
		{ARENA + 1 + JUMP + 7 + JUMP - 1, WHERE_COPY_AFTER, LONG},
		{ARENA + 1 + JUMP + 7 + JUMP, WHERE_ORIGINAL, -1}, /* unused */
		{ARENA + 4096, WHERE_ORIGINAL, -1},
	};
	struct space *s = two_copies();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bpt_site *site;

		assert_int_equal(bpt_where(s, cases[i].pc, &site), cases[i].where);
		assert_ptr_equal(
			site, cases[i].site < 0 ? NULL : &s->sites.data[cases[i].site]);
	}
	space_unref(s);
}

/* A mapping that has gone takes its sites along; copies are known as long as they stand. */
static void test_forgotten(void **state)
{
	struct space *s = two_copies();
	struct bpt_site *site;

	(void)state;
	bpt_forget(s, CODE + 64, CODE + 128);
	assert_int_equal(bpt_where(s, CODE + 65, &site), WHERE_ORIGINAL);
	assert_int_equal(bpt_where(s, CODE + 1, &site), WHERE_BEHIND);
	assert_int_equal(bpt_where(s, CODE + 129, &site), WHERE_TRAPPED);
	assert_int_equal(bpt_where(s, ARENA + 1 + JUMP, &site), WHERE_COPY_BEFORE);
	assert_ptr_equal(site, &s->sites.data[LONG]);
	space_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
