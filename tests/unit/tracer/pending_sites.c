/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

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
	placed_sites_release(&target.placed);
}

/* Sites of one page are found again after others were forgotten, or were on others. */
static void test_placed_again(void **state)
{
	const uint64_t pages = 40, step = 0x10;
	struct placed_sites placed = {0};

	(void)state;
	for (uint64_t turn = 0; turn < 2; turn++)
		for (uint64_t i = 0; i < pages * 4096 / step; i++)
			assert_true(placed_sites_add(&placed, FIRST + i * step + turn,
						     (uint32_t)turn));
	placed_sites_forget(&placed, FIRST, FIRST + pages * 4096 / 4 * 3);
	assert_int_equal(placed.len, pages * 4096 / step / 2); /* it is compact */
	for (uint64_t i = 0; i < pages * 4096 / step; i++) {
		bool is_known = i * step >= pages * 4096 / 4 * 3;

		assert_int_equal(placed_sites_at(&placed, FIRST + i * step), is_known);
		assert_int_equal(placed_sites_add(&placed, FIRST + i * step, 0),
				 !is_known);
		assert_false(placed_sites_add(&placed, FIRST + i * step, 0));
	}
	placed_sites_release(&placed);
}

#define ORDERED 600

static void add_one(struct target *target, uint64_t addr, enum keeper_site_kind kind,
		    uint32_t probe)
{
	static const struct module module;
	const struct pending_site site = {
		.probe = probe,
		.kind = kind,
		.addr = taddr_of(addr),
		.module = kind == KEEPER_SITE_OFFSET ? NULL : &module,
		.part = {taddr_of(addr - probe), taddr_of(addr + 2 * probe)},
	};

	pending_sites_add(target, &site);
}

/* Entries, then returns, then the breakpoints of others, some at the same places. */
static void add_in_turns(struct target *target)
{
	for (uint32_t i = 0; i < ORDERED / 3; i++)
		add_one(target, FIRST + 10 * i, KEEPER_SITE_ENTRY, i + 1);
	for (uint32_t i = 0; i < ORDERED / 3; i++)
		add_one(target, FIRST + 10 * i + i % 2, KEEPER_SITE_RETURN, i + 1001);
	for (uint32_t i = ORDERED / 3; i-- > 0;)
		add_one(target, FIRST + 10 * i, KEEPER_SITE_OFFSET, i + 2001);
}

static void check_ordered(const struct ordered_sites *sites)
{
	for (size_t i = 1; i < ORDERED; i++) {
		const struct keeper_site *a = &ordered_site(sites, i - 1)->site;
		const struct keeper_site *b = &ordered_site(sites, i)->site;

		assert_true(a->addr.v <= b->addr.v);
		if (a->addr.v == b->addr.v)
			assert_true(a->kind < b->kind);
	}
	for (size_t i = 0; i < ORDERED; i++) {
		const struct target_pending *s = ordered_site(sites, i);
		uint32_t probe = s->module ? s->site.probe : 0;

		assert_int_equal(target_pending_lo(s).v, s->site.addr.v - probe);
		assert_int_equal(target_pending_hi(s).v, s->site.addr.v + 2 * probe);
		assert_int_equal(s->may_jump, s->site.kind != KEEPER_SITE_OFFSET);
	}
}

static void test_order(void **state)
{
	struct target target = {0};
	struct ordered_sites sites;
	struct tracer t = {0};

	(void)state;
	add_in_turns(&target);
	pending_sites_order(&t, &target, &sites);
	assert_int_equal(target.sites.len, 0);
	assert_int_equal(sites.gathered.len, ORDERED);
	assert_non_null(sites.order);
	check_ordered(&sites);
	pending_sites_release(&sites);
	placed_sites_release(&target.placed);
}

/* How many pages lie within the gathered sites and hold nothing but zeros. */
static size_t count_empty(const struct ordered_sites *sites)
{
	static const char zeros[4096];
	const char *end = (const char *)(sites->gathered.data + sites->gathered.len);
	const char *page = (const char *)sites->gathered.data;
	size_t n = 0;

	for (page += -(uintptr_t)page % sizeof(zeros); page + sizeof(zeros) <= end;
	     page += sizeof(zeros))
		n += memcmp(page, zeros, sizeof(zeros)) == 0;
	return n;
}

/* Memory of sites that are dropped goes back; the others stay what they are. */
static void test_drop(void **state)
{
	struct target target = {0};
	struct ordered_sites sites;
	struct target_pending rest[ORDERED];
	struct tracer t = {0};
	size_t dropped = 0, empty = 0;

	(void)state;
	add_in_turns(&target);
	pending_sites_order(&t, &target, &sites);
	assert_int_equal(count_empty(&sites), 0);
	for (size_t i = 0; i < ORDERED; i++)
		rest[i] = *ordered_site(&sites, i);
	for (size_t n = 1; dropped < ORDERED; n = min_u64(2 * n, ORDERED - dropped)) {
		pending_sites_drop(&sites, dropped, n);
		dropped += n;
		for (size_t i = dropped; i < ORDERED; i++)
			assert_memory_equal(ordered_site(&sites, i), &rest[i],
					    sizeof(rest[i]));
		assert_true(count_empty(&sites) >= empty);
		empty = count_empty(&sites);
	}
	pending_sites_drop(&sites, ORDERED, 0);
	assert_true((empty + 2) * 4096 >= ORDERED * sizeof(struct target_pending));
	pending_sites_release(&sites);
	placed_sites_release(&target.placed);
}

/* A part whose size struct target_pending cannot hold: no jump. */
static void test_huge_part(void **state)
{
	static const struct module module;
	struct target target = {0};
	struct pending_site site = {.probe = 1, .addr = place(0), .module = &module};

	(void)state;
	site.part = (struct addr_range){place(0), taddr_add(place(0), INT32_MAX)};
	pending_sites_add(&target, &site);
	site.addr = place(1);
	site.part = (struct addr_range){taddr_add(place(1), -1),
					taddr_add(place(1), INT32_MAX)};
	pending_sites_add(&target, &site);
	assert_ptr_equal(target.sites.data[0].module, &module);
	assert_int_equal(target.sites.data[0].after, INT32_MAX);
	assert_null(target.sites.data[1].module);
	vec_release(&target.sites);
	placed_sites_release(&target.placed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites_at),  cmocka_unit_test(test_placed_again),
		cmocka_unit_test(test_order),	  cmocka_unit_test(test_drop),
		cmocka_unit_test(test_huge_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
