/* SPDX-License-Identifier: MIT */
/* Room for out-of-line slots, without a process: no memory is touched. */
#include "tracer/keeper/space/near_alloc.h"
#include "tracer/keeper/space/step.h"
#include "tracer/keeper/space/xol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define BASE UINT64_C(0x7f0000000000)
#define FAR  (UINT64_C(1) << 32)
#define SIZE UINT64_C(4096)

/* What is left of two areas is not one room: each slot fits into one or none. */
static void test_has_room(void **state)
{
	static const struct {
		uint64_t left[2];
		bool is_far; /* the second area */
		size_t slots;
		bool has_room;
	} cases[] = {
		{{0, 0}, false, 0, true},
		{{0, 0}, false, 1, false},
		{{STEP_SLOT_MAX, 0}, false, 1, true},
		{{STEP_SLOT_MAX - 8, 0}, false, 1, false},
		{{STEP_SLOT_MAX, 0}, false, 2, false},
		{{STEP_SLOT_MAX, STEP_SLOT_MAX}, false, 2, true},
		{{STEP_SLOT_MAX + 8, STEP_SLOT_MAX - 8}, false, 2, false},
		{{STEP_SLOT_MAX, STEP_SLOT_MAX}, true, 2, false},
		{{2 * STEP_SLOT_MAX, 0}, true, 2, true},
		{{SIZE, SIZE}, true, SIZE / STEP_SLOT_MAX + 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		taddr addrs[SIZE / STEP_SLOT_MAX + 1];
		struct xol x = {0};

		for (size_t k = 0; k < ARRAY_LEN(addrs); k++)
			addrs[k] = taddr_of(BASE + k * 16);
		for (int k = 0; k < 2; k++) {
			xol_add_area(
				&x,
				taddr_of(BASE + (k && cases[i].is_far ? FAR : SIZE)),
				SIZE);
			x.data[k].used = SIZE - cases[i].left[k];
		}
		assert_int_equal(xol_has_room(&x, addrs, cases[i].slots),
				 cases[i].has_room);
		xol_release(&x);
	}
}

#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)
#define REACH (2 * GIB - 64 * MIB) /* XOL_REACH */

static const struct addr_range code_range = {{BASE}, {BASE + MIB}};

/* Below the code first, else above; away from where the heap and the stack grow. */
static void test_gap(void **state)
{
	static struct procfs_area code = {.range.lo.v = BASE, .range.hi.v = BASE + MIB};
	static const struct {
		struct procfs_area other; /* lo 0: none */
		uint64_t size, found;
	} cases[] = {
		{{.range.lo.v = 0}, SIZE, BASE - SIZE},
		{{.range.lo.v = BASE - MIB, .range.hi.v = BASE},
		 SIZE,
		 BASE - MIB - SIZE},
		/* where the break may grow to */
		{{.range.lo.v = BASE - 2 * GIB,
		  .range.hi.v = BASE - GIB - SIZE,
		  .is_writable = true},
		 SIZE,
		 BASE - SIZE},
		{{.range.lo.v = BASE - 2 * GIB,
		  .range.hi.v = BASE - GIB,
		  .is_writable = true},
		 SIZE,
		 BASE + MIB},
		{{.range.lo.v = BASE - 2 * GIB,
		  .range.hi.v = BASE - GIB,
		  .kind = AREA_HEAP},
		 SIZE,
		 BASE + MIB},
		{{.range.lo.v = BASE - 4 * GIB, .range.hi.v = BASE}, SIZE, BASE + MIB},
		/* nothing within reach below, and no room under the stack above */
		{{.range.lo.v = BASE - 4 * GIB, .range.hi.v = BASE},
		 REACH - MIB,
		 BASE + MIB},
		{{.range.lo.v = BASE - 4 * GIB, .range.hi.v = BASE},
		 REACH - MIB + SIZE,
		 0},
		{{.range.lo.v = BASE - REACH + 2 * MIB, .range.hi.v = BASE},
		 MIB,
		 BASE - REACH + MIB},
		{{.range.lo.v = BASE - REACH + 2 * MIB, .range.hi.v = BASE},
		 MIB + SIZE,
		 BASE + MIB},
		{{.range.lo.v = BASE + 257 * MIB + SIZE,
		  .range.hi.v = BASE + GIB,
		  .kind = AREA_STACK},
		 SIZE,
		 BASE - SIZE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct procfs_area both[2] = {code, cases[i].other};
		struct procfs_maps maps = {both, 1 + (cases[i].other.range.lo.v != 0),
					   2};
		taddr found;

		if (maps.len == 2 && both[1].range.lo.v < both[0].range.lo.v) {
			both[0] = cases[i].other;
			both[1] = code;
		}
		found = near_alloc_gap(&maps, code_range, XOL_REACH, cases[i].size);
		if (found.v != cases[i].found)
			fail_msg("case %zu: %llx", i, (unsigned long long)found.v);
	}
}

/* Between full memory and the stack: as far below it as it may grow. */
static void test_gap_under_stack(void **state)
{
	struct procfs_area areas[] = {
		{.range.lo.v = BASE - 4 * GIB, .range.hi.v = BASE},
		{.range.lo.v = BASE, .range.hi.v = BASE + MIB},
		{.range.lo.v = BASE + MIB + 256 * MIB + SIZE,
		 .range.hi.v = BASE + GIB,
		 .kind = AREA_STACK},
		{.range.lo.v = BASE + GIB, .range.hi.v = BASE + 4 * GIB},
	};
	const struct procfs_maps maps = {areas, ARRAY_LEN(areas), ARRAY_LEN(areas)};

	(void)state;
	assert_int_equal(near_alloc_gap(&maps, code_range, XOL_REACH, SIZE).v,
			 BASE + MIB);
	assert_int_equal(near_alloc_gap(&maps, code_range, XOL_REACH, 2 * SIZE).v, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_has_room),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_gap_under_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
