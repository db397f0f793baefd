/* SPDX-License-Identifier: MIT */
/* The mappings of a process, and one that is made after they were read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/keeper/space/near_alloc.h"

#include <unistd.h>

#define SIZE (UINT64_C(16) * NEAR_PAGE)

static void assert_ascend(const struct near_alloc *n)
{
	assert_int_equal(n->space.nmaps, n->maps.len);
	for (size_t i = 0; i < n->maps.len; i++) {
		assert_int_equal(n->space.maps[i].lo.v, n->maps.data[i].range.lo.v);
		assert_int_equal(n->space.maps[i].hi.v, n->maps.data[i].range.hi.v);
		assert_true(!i || n->maps.data[i - 1].range.hi.v <=
					  n->maps.data[i].range.lo.v);
	}
}

/* Each place that is found is free until it is noted: then the next one is another. */
static void test_added(void **state)
{
	const uint64_t here = (uintptr_t)test_added;
	const struct addr_range code = {taddr_of(here), taddr_of(here + 16)};
	struct addr_range first = {{0}, {0}};
	struct near_alloc n;
	size_t before;

	(void)state;
	assert_int_equal(near_alloc_init(&n, getpid()), 0);
	before = n.maps.len;
	for (size_t i = 0; i < 40; i++) {
		struct addr_range r;

		assert_int_equal(near_search(&n.space, code, SIZE, &r.lo), 0);
		r.hi = taddr_add(r.lo, SIZE);
		assert_true(near_space_is_free(&n.space, r));
		first = i ? first : r;
		near_alloc_add(&n, r);
		assert_int_equal(n.maps.len, before + i + 1);
		assert_false(near_space_is_free(&n.space, r));
		assert_int_equal(procfs_maps_find(&n.maps, r.lo)->range.hi.v, r.hi.v);
		assert_ascend(&n);
	}
	assert_int_equal(near_alloc_renew(&n, getpid()), 0);
	assert_true(near_space_is_free(&n.space, first)); /* none has been mapped */
	assert_ascend(&n);
	near_alloc_release(&n);
	assert_int_equal(n.maps.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
