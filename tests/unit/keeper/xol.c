/* SPDX-License-Identifier: MIT */
/* Room for moved copies, without a process: no memory is touched. */
#include "tracer/keeper/space/xol.h"
#include "vm/base/host/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define BASE UINT64_C(0x7f0000000000)
#define FAR  (UINT64_C(1) << 32)
#define SIZE UINT64_C(4096)

static void add_sites(struct space *s, struct bpt_list *list, uint64_t at, int n)
{
	for (int i = 0; i < n; i++) {
		struct insn in = {.addr = taddr_of(at + (uint64_t)i * 16), .len = 4};

		bpt_add(s, &in)->how = STEP_COPY;
		*vec_push(list) = (uint32_t)(s->sites.len - 1);
	}
}

/* What is left of two arenas is not one room: each copy fits into one or none. */
static void test_has_room(void **state)
{
	static const struct {
		uint64_t left[2];
		bool is_far; /* the second arena */
		int copies;
		bool has_room;
	} cases[] = {
		{{0, 0}, false, 0, true},
		{{0, 0}, false, 1, false},
		{{STEP_COPY_MAX, 0}, false, 1, true},
		{{STEP_COPY_MAX - 8, 0}, false, 1, false},
		{{STEP_COPY_MAX, 0}, false, 2, false},
		{{STEP_COPY_MAX, STEP_COPY_MAX}, false, 2, true},
		{{STEP_COPY_MAX + 8, STEP_COPY_MAX - 8}, false, 2, false},
		{{STEP_COPY_MAX, STEP_COPY_MAX}, true, 2, false},
		{{2 * STEP_COPY_MAX, 0}, true, 2, true},
		{{SIZE, SIZE}, true, (int)(SIZE / STEP_COPY_MAX) + 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct space *s = space_new();
		struct bpt_list list = {0};

		add_sites(s, &list, BASE, cases[i].copies);
		for (int k = 0; k < 2; k++)
			*vec_push(&s->arenas) = (struct bpt_arena){
				.lo = BASE + (k && cases[i].is_far ? FAR : SIZE),
				.size = SIZE,
				.used = SIZE - cases[i].left[k]};
		assert_int_equal(xol_has_room(s, &list), cases[i].has_room);
		for (int k = 0; k < 2; k++)
			assert_int_equal(s->arenas.data[k].used,
					 SIZE - cases[i].left[k]);
		vec_release(&list);
		space_unref(s);
	}
}

#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)
#define REACH (2 * GIB - 64 * MIB)

/* Below the code first, else above; away from where the heap and the stack grow. */
static void test_gap(void **state)
{
	static struct procfs_area code = {.lo = BASE, .hi = BASE + MIB};
	static const struct {
		struct procfs_area other; /* lo 0: none */
		uint64_t size, found;
	} cases[] = {
		{{.lo = 0}, SIZE, BASE - SIZE},
		{{.lo = BASE - MIB, .hi = BASE}, SIZE, BASE - MIB - SIZE},
		/* where the break may grow to */
		{{.lo = BASE - 2 * GIB, .hi = BASE - GIB - SIZE, .is_writable = true},
		 SIZE,
		 BASE - SIZE},
		{{.lo = BASE - 2 * GIB, .hi = BASE - GIB, .is_writable = true},
		 SIZE,
		 BASE + MIB},
		{{.lo = BASE - 2 * GIB, .hi = BASE - GIB, .kind = AREA_HEAP},
		 SIZE,
		 BASE + MIB},
		{{.lo = BASE - 4 * GIB, .hi = BASE}, SIZE, BASE + MIB},
		/* nothing within reach below, and no room under the stack above */
		{{.lo = BASE - 4 * GIB, .hi = BASE}, REACH - MIB, BASE + MIB},
		{{.lo = BASE - 4 * GIB, .hi = BASE}, REACH - MIB + SIZE, 0},
		{{.lo = BASE - REACH + 2 * MIB, .hi = BASE}, MIB, BASE - REACH + MIB},
		{{.lo = BASE - REACH + 2 * MIB, .hi = BASE}, MIB + SIZE, BASE + MIB},
		{{.lo = BASE + 257 * MIB + SIZE, .hi = BASE + GIB, .kind = AREA_STACK},
		 SIZE,
		 BASE - SIZE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct procfs_area both[2] = {code, cases[i].other};
		struct procfs_maps maps = {both, 1 + (cases[i].other.lo != 0), 2};

		if (maps.len == 2 && both[1].lo < both[0].lo) {
			both[0] = cases[i].other;
			both[1] = code;
		}
		if (xol_find_gap(&maps, BASE, BASE + MIB, cases[i].size) !=
		    cases[i].found)
			fail_msg("case %zu: %llx", i,
				 (unsigned long long)xol_find_gap(
					 &maps, BASE, BASE + MIB, cases[i].size));
	}
}

/* Between full memory and the stack: as far below it as it may grow. */
static void test_gap_under_stack(void **state)
{
	struct procfs_area areas[] = {
		{.lo = BASE - 4 * GIB, .hi = BASE},
		{.lo = BASE, .hi = BASE + MIB},
		{.lo = BASE + MIB + 256 * MIB + SIZE,
		 .hi = BASE + GIB,
		 .kind = AREA_STACK},
		{.lo = BASE + GIB, .hi = BASE + 4 * GIB},
	};
	const struct procfs_maps maps = {areas, ARRAY_LEN(areas), ARRAY_LEN(areas)};

	(void)state;
	assert_int_equal(xol_find_gap(&maps, BASE, BASE + MIB, SIZE), BASE + MIB);
	assert_int_equal(xol_find_gap(&maps, BASE, BASE + MIB, 2 * SIZE), 0);
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
