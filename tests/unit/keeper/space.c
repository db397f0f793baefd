/* SPDX-License-Identifier: MIT */
/* Where a pc is among sites and slots, without a process: no memory is touched. */
#include "tracer/keeper/space/space.h"
#include "vm/base/host/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define CODE UINT64_C(0x400000)
#define AREA UINT64_C(0x7f0000000000)
#define JUMP 5u /* bytes after the moved instruction */

#define NO_STACK ((taddr){0})

enum { SHORT, LONG, EMULATED, SITES };

static const struct {
	uint64_t addr, slot;
	uint8_t len;
} sites[SITES] = {
	[SHORT] = {CODE, AREA, 1},
	[LONG] = {CODE + 64, AREA + 1 + JUMP, 7},
	[EMULATED] = {CODE + 128, 0, 2},
};

static struct space *two_slots(void)
{
	struct space *s = space_new();

	xol_add_area(&s->xol, taddr_of(AREA), 4096);
	for (uint32_t i = 0; i < SITES; i++) {
		struct insn in = {.addr = taddr_of(sites[i].addr), .len = sites[i].len};
		struct bpt_site *site = bpt_add(&s->bpts, &in);

		if (!sites[i].slot)
			continue;
		site->slot = (struct xol_slot){.at = taddr_of(sites[i].slot),
					       .len = (uint8_t)(sites[i].len + JUMP),
					       .insn_len = sites[i].len};
		*vec_push(&s->xol.data[0].slots) = (struct xol_owner){site->slot.at, i};
		s->xol.data[0].used = sites[i].slot + site->slot.len - AREA;
	}
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
		{CODE + 1, WHERE_AMBIGUOUS, SHORT},
		{CODE + 2, WHERE_ORIGINAL, -1},
		{CODE + 64, WHERE_ORIGINAL, -1},
		{CODE + 65, WHERE_TRAPPED, LONG},
		{CODE + 71, WHERE_ORIGINAL, -1}, /* after the whole instruction */
		{CODE + 129, WHERE_TRAPPED, EMULATED},
		{AREA - 1, WHERE_ORIGINAL, -1},
		{AREA, WHERE_SLOT_BEFORE, SHORT},
		{AREA + 1, WHERE_SLOT_AFTER, SHORT}, /* at the jump back */
		{AREA + JUMP, WHERE_SLOT_AFTER, SHORT},
		{AREA + 1 + JUMP, WHERE_SLOT_BEFORE, LONG},
		{AREA + 1 + JUMP + 6, WHERE_SLOT_BEFORE, LONG},
		{AREA + 1 + JUMP + 7, WHERE_SLOT_AFTER, LONG},
		{AREA + 1 + JUMP + 7 + JUMP - 1, WHERE_SLOT_AFTER, LONG},
		{AREA + 1 + JUMP + 7 + JUMP, WHERE_ORIGINAL, -1}, /* unused */
		{AREA + 4096, WHERE_ORIGINAL, -1},
	};
	struct space *s = two_slots();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct space_place p = space_where(s, taddr_of(cases[i].pc), NO_STACK);

		assert_int_equal(p.where, cases[i].where);
		assert_ptr_equal(p.site, cases[i].site < 0
						 ? NULL
						 : &s->bpts.sites.data[cases[i].site]);
	}
	space_unref(s);
}

static enum stop_where where(const struct space *s, uint64_t pc)
{
	return space_where(s, taddr_of(pc), NO_STACK).where;
}

/* A mapping that has gone takes its sites along; their slots stay known. */
static void test_forgotten(void **state)
{
	struct space *s = two_slots();

	(void)state;
	space_forget(s, (struct addr_range){taddr_of(CODE + 64), taddr_of(CODE + 128)});
	assert_int_equal(where(s, CODE + 65), WHERE_ORIGINAL);
	assert_int_equal(where(s, CODE + 1), WHERE_AMBIGUOUS);
	assert_int_equal(where(s, CODE + 129), WHERE_TRAPPED);
	assert_int_equal(where(s, AREA + 1 + JUMP), WHERE_SLOT_BEFORE);
	assert_ptr_equal(space_where(s, taddr_of(AREA + 1 + JUMP), NO_STACK).site,
			 &s->bpts.sites.data[LONG]);
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
