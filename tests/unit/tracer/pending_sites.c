/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/targets/pending_sites.h"
#include "vm/base/host/vec.h"

#define PLACES 1000
#define STEP   7 /* from one to the next: several pages */
#define FIRST  UINT64_C(0x401003)

static taddr place(uint64_t i)
{
	return taddr_of(FIRST + STEP * i);
}

/* Of place i, i % 3 probes. */
static void add_all(struct target *target)
{
	for (uint64_t i = 0; i < PLACES; i++)
		for (uint32_t probe = 1; probe <= i % 3; probe++)
			pending_sites_add(target, &(struct pending_site){
							  .probe = probe,
							  .kind = KEEPER_SITE_ENTRY,
							  .addr = place(i)});
}

static void test_sites_at(void **state)
{
	struct target target = {0};
	const struct addr_range half = {place(0), place(PLACES / 2)};

	(void)state;
	add_all(&target);
	add_all(&target); /* a probe has one site at a place */
	assert_int_equal(target.sites.len, PLACES - 1);
	for (uint64_t i = 0; i < PLACES; i++)
		assert_int_equal(pending_sites_at(&target, place(i)), i % 3);
	assert_int_equal(pending_sites_at(&target, taddr_of(FIRST + 1)), 0);
	pending_sites_forget(&target, half);
	for (uint64_t i = 0; i < PLACES; i++)
		assert_int_equal(pending_sites_at(&target, place(i)),
				 i < PLACES / 2 ? 0 : i % 3);
	vec_release(&target.sites);
	vec_release(&target.placed);
	index_release(&target.placed_at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
