/* SPDX-License-Identifier: MIT */
/* Constant clauses: which they are, and that the memo changes no count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/block_read.h"
#include "tests/unit/support/vm_image.h"
#include "vm/agg.h"
#include "vm/run/inline_cache.h"

#define DONE   I(END, 0, 0, 0, 0)
#define PROBES 40

/* Aggregations of these clauses: 0 count by id, 1 sum by id. */
static struct builder *builder_with_aggs(void)
{
	struct builder *b = builder_new();

	build_field(b, field_int(4, false));
	build_agg(b, AGG_count, 0, 1, 1);
	build_field(b, field_int(4, false));
	build_agg(b, AGG_sum, 0, 1, 1);
	return b;
}

#define COUNT_BY_ID                                                                    \
	I(TUP, 0, 0, 0, 0), I(BI, 0, 0, 0, BUILTIN_id), I(TPI, 0, 0, 4, 0),            \
		I(LI, 1, 0, 0, 0), I(AGGR, 1, 1, 0, 0)

static void test_which(void **state)
{
	const struct {
		const char *what;
		insn_t code[10];
		uint32_t n;
		bool is_constant;
	} cases[] = {
		{"@[id] = count()", {COUNT_BY_ID, DONE}, 6, true},
		{"@[arg0] = count()",
		 {I(TUP, 0, 0, 0, 0), I(BI, 0, 0, 0, BUILTIN_arg0), I(TPI, 0, 0, 4, 0),
		  I(LI, 1, 0, 0, 0), I(AGGR, 1, 1, 0, 0), DONE},
		 6,
		 false},
		{"@[id] = sum(1)",
		 {I(TUP, 0, 0, 0, 0), I(BI, 0, 0, 0, BUILTIN_id), I(TPI, 0, 0, 4, 0),
		  I(LI, 1, 0, 0, 1), I(AGGR, 1, 1, 0, 1), DONE},
		 6,
		 false},
		{"nothing", {DONE}, 1, false},
		{"/id/ and count",
		 {I(BI, 2, 0, 0, BUILTIN_id), I(JZ, 2, 0, 0, 5), COUNT_BY_ID, DONE},
		 8,
		 false},
		{"a record too", {I(RECE, 0, 0, 0, 0), COUNT_BY_ID, DONE}, 7, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_with_aggs();
		struct rig *r;

		build_clause(b, cases[i].code, cases[i].n);
		r = rig_new(b);
		program_mark_constant(r->image);
		if (!(program_clause(r->image, 0)->flags & CLAUSE_CONSTANT) ==
		    cases[i].is_constant)
			fail_msg("%s", cases[i].what);
		rig_free(r);
	}
}

static void test_twice(void **state)
{
	struct builder *b = builder_with_aggs();
	const insn_t code[] = {COUNT_BY_ID, COUNT_BY_ID, DONE};
	struct rig *r;

	(void)state;
	build_clause(b, code, ARRAY_LEN(code));
	r = rig_new(b);
	program_mark_constant(r->image);
	assert_false(program_clause(r->image, 0)->flags & CLAUSE_CONSTANT);
	rig_free(r);
}

struct totals {
	uint64_t of[PROBES + 1]; /* by probe id */
};

static void add_total(void *ctx, const struct agg_entry_view *e)
{
	struct totals *t = ctx;
	uint32_t id;

	memcpy(&id, e->key, sizeof(id));
	assert_true(id >= 1 && id <= PROBES);
	t->of[id] += e->is_reset ? 0 : e->value[0];
}

static struct totals totals_of(struct rig *r)
{
	struct totals t = {0};

	for (uint32_t slot = 0; slot < 4; slot++)
		assert_int_equal(walk_slot(r->state, slot, r->image, add_total, &t), 0);
	return t;
}

static struct rig *counting_rig(bool is_marked)
{
	struct builder *b = builder_with_aggs();
	const insn_t code[] = {COUNT_BY_ID, DONE};
	struct state_config config;
	size_t size;
	void *image;

	build_clause(b, code, ARRAY_LEN(code));
	image = build_image(b, &size);
	if (is_marked)
		program_mark_constant(image);
	config = rig_config(image);
	config.aggsize = 4096; /* few buckets: elements are reused for other keys */
	return rig_with(image, size, &config);
}

static void fire_as(struct rig *r, uint32_t probe, uint32_t slot)
{
	r->probe.id = probe;
	r->vm.slot = slot;
	rig_fire(r);
}

/* Clearing, truncating and removing, at the same moments with and without the memo. */
static void disturb(struct rig *r, uint32_t what, uint32_t probe)
{
	uint64_t key = probe;

	if (what == 0)
		agg_clear(r->state, 0);
	else if (what == 1)
		agg_trunc(r->state, 0);
	else
		remove_key(r->state, r->image,
			   &(struct element_key){0, &key, sizeof(key)});
}

static void test_same_counts(void **state)
{
	struct rig *rigs[] = {counting_rig(false), counting_rig(true)};
	uint32_t random = 12345;

	(void)state;
	assert_true(program_clause(rigs[1]->image, 0)->flags & CLAUSE_CONSTANT);
	for (int n = 0; n < 20000; n++) {
		uint32_t probe, slot;

		random = random * 1664525u + 1013904223u;
		probe = 1 + (random >> 8) % PROBES;
		slot = random >> 30;
		for (size_t i = 0; i < ARRAY_LEN(rigs); i++) {
			fire_as(rigs[i], probe, slot);
			if (n % 97 == 0)
				disturb(rigs[i], (random >> 20) % 3, probe);
		}
		if (n % 1000 == 999) {
			struct totals a = totals_of(rigs[0]), b = totals_of(rigs[1]);

			assert_memory_equal(&a, &b, sizeof(a));
		}
	}
	rig_free(rigs[0]);
	rig_free(rigs[1]);
}

/* Whatever a memo says, it leads to a count or to the long way, not out of the shard. */
static void test_spoilt_memo(void **state)
{
	struct rig *r = counting_rig(true);
	struct slot *slot = layout_slot(r->state, 1);

	(void)state;
	for (uint32_t n = 0; n < 5000; n++) {
		for (uint32_t i = 0; i < (1u << INLINE_CACHE_BITS); i++)
			slot->cache[i].link = n * 2654435761u >> (n % 32);
		fire_as(r, 1 + n % PROBES, 1);
	}
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_same_counts),
		cmocka_unit_test(test_spoilt_memo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
