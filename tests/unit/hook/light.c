/* SPDX-License-Identifier: MIT */
/*
 * Hits that a light routine makes (hook/resident.h): the thread's state is kept, such a
 * hit has the effect of another one, and it is not taken when it must not be. The same
 * of indirect jumps that stay in their function.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/block_read.h"
#include "tests/unit/support/resident_cpu.h"
#include "tests/unit/support/resident_lab.h"
#include "vm/agg/shard.h"

uint64_t f_same(uint64_t a);
uint64_t f_other(uint64_t a);
extern const unsigned char f_same_end[], f_other_end[];

__asm__(".pushsection .text\n"
	".p2align 12\n"
	".globl hooked_begin, hooked_end, f_same, f_same_end, f_other, f_other_end\n"
	"hooked_begin:\n"
	"f_same:\n"
	"	mov %r8, %r8\n"
	"	mov %r9, %r9\n"
	"	ret\n"
	"f_same_end:\n"
	".p2align 6\n"
	"f_other:\n"
	"	mov %rdi, %rax\n"
	"	mov %rax, %rax\n"
	"	ret\n"
	"f_other_end:\n"
	".p2align 12\n"
	"hooked_end:\n"
	".popsection\n");

enum { X, SELF };
enum { ROUNDS = 2000 };

static struct lab *lab;

static void begin_with(const insn_t *code, uint32_t n)
{
	struct builder *b = builder_new();

	build_var(b, SCOPE_GLOBAL, field_int(8, true), 0);
	build_var(b, SCOPE_SELF, field_int(8, true), 0);
	build_agg(b, AGG_sum, 0, 1, 0);
	build_field(b, field_string(256));
	build_agg(b, AGG_sum, 0, 1, 1);
	build_clause(b, code, n);
	lab_wishes.is_native = true;
	lab = lab_new(b);
	lab_hook(lab, f_same, f_same_end, 0);
	lab_hook(lab, f_other, f_other_end, 1);
	lab_register(lab, 0, false);
}

static void end(void)
{
	lab_free(lab);
	lab_wishes.is_native = false;
}

/* x += arg0 */
static void begin_adding(void)
{
	const insn_t code[] = {
		I(LDG, 0, 0, 0, X), I(BI, 1, 0, 0, BUILTIN_arg0), I(ADD, 0, 0, 1, 0),
		I(STG, 0, 0, 0, X), I(END, 0, 0, 0, 0),
	};

	begin_with(code, ARRAY_LEN(code));
}

static uint64_t x(void)
{
	uint64_t value;

	memcpy(&value, layout_at(lab->state, lab->state->globals_at), sizeof(value));
	return value;
}

/* Only a hit that takes the long way tells in the level where it goes on. */
static bool is_light(void)
{
	uint64_t *tail = &lab_tcb(lab, 0)->level[0].regs.rip;
	uint64_t before = *tail;
	bool is_kept;

	*tail = 1;
	f_same(7);
	is_kept = *tail == 1;
	*tail = before;
	return is_kept;
}

static void keep_all(const struct cpu *in, const void *fn)
{
	struct cpu out;

	memset(target_stack.bytes, 0x5a, sizeof(target_stack.bytes));
	memset(&out, 0, sizeof(out));
	run_with(in, &out, fn);
	assert_memory_equal(in->gpr, out.gpr, sizeof(in->gpr));
	assert_int_equal(in->flags, out.flags);
	assert_memory_equal(in->xmm, out.xmm, sizeof(in->xmm));
	/* The word of the call, and no other. */
	for (size_t i = 0; i < sizeof(target_stack.bytes); i++)
		if (i < 4096 - 8 || i >= 4096)
			assert_int_equal(target_stack.bytes[i], 0x5a);
}

static uint64_t keep(const void *fn, uint64_t extra_flags)
{
	struct cpu in = random_cpu(extra_flags);

	keep_all(&in, fn);
	return in.gpr[7];
}

static const uint64_t special_flags[] = {
	0,
	FLAG_DIRECTION,
	FLAG_ALIGNMENT,
	FLAG_DIRECTION | FLAG_ALIGNMENT,
};

static void test_state_is_kept(void **state)
{
	uint64_t sum = 0;

	(void)state;
	begin_adding();
	for (int i = 0; i < ROUNDS; i++) {
		sum += keep(f_same, special_flags[i % 4]);
		assert_int_equal(x(), sum);
		if (i % 16 < 8) /* else the light way */
			state_renew(lab->state);
	}
	assert_true(is_light());
	assert_int_equal(lab_tcb(lab, 0)->gate.busy, 0);
	assert_int_equal(lab_tcb(lab, 0)->gate.fired, ROUNDS + 1);
	end();
}

/* What ends it: every change of the sum; then the next hit begins it again. */
static void test_ends(void **state)
{
	(void)state;
	begin_adding();
	assert_false(is_light());
	assert_true(is_light());
	state_renew(lab->state);
	assert_false(is_light());
	assert_true(is_light());
	lab_program(lab, 10);
	assert_false(is_light());
	assert_true(is_light());
	assert_int_equal(x(), 6 * 7);
	state_stop(lab->state);
	state_renew(lab->state);
	assert_false(is_light());
	assert_false(is_light());
	assert_int_equal(x(), 6 * 7);
	end();
}

static void test_dead_keeper(void **state)
{
	(void)state;
	begin_adding();
	f_same(1);
	assert_true(is_light());
	atomic_store(&lab->block->keeper, RESIDENT_KEEPER_DIED);
	assert_false(is_light());
	assert_int_equal(x(), 8);
	atomic_store(&lab->block->keeper, 0);
	end();
}

static void set_levels(uint32_t n)
{
	lab_tcb(lab, 0)->gate.busy = n;
	lab_tcb(lab, 0)->gate.idle = !n;
}

/* A hit inside of a hit takes the second level, whatever the site. */
static void test_inside(void **state)
{
	(void)state;
	begin_adding();
	f_same(1);
	assert_true(is_light());
	set_levels(1);
	f_same(100);
	assert_int_equal(lab_tcb(lab, 0)->gate.busy, 1);
	assert_int_equal(lab_tcb(lab, 0)->gate.idle, 0);
	assert_int_equal(lab_tcb(lab, 0)->level[1].regs.rdi, 100);
	set_levels(2);
	f_same(100);
	assert_int_equal(atomic_load(&lab_tcb(lab, 0)->gate.lost), 1);
	set_levels(0);
	assert_int_equal(x(), 108);
	assert_true(is_light());
	end();
}

/* A site without a routine, one whose probes have changed, a thread that is inert. */
static void test_other_ways(void **state)
{
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_id),
		I(STG, 0, 0, 0, X),
		I(END, 0, 0, 0, 0),
	};
	struct resident_site *site;

	(void)state;
	begin_with(code, ARRAY_LEN(code));
	f_same(0);
	f_other(0);
	assert_int_equal(x(), 2);
	assert_true(is_light());
	assert_int_equal(x(), 1);
	/* The keeper mutes a site while a thread is on its way to the routine. */
	site = resident_site_table(&lab->view);
	atomic_store(&site[0].hits, resident_list(0, 0));
	f_other(0);
	assert_false(is_light());
	assert_int_equal(x(), 2);
	atomic_store(&site[0].hits, resident_alone(0));
	atomic_store(&resident_light_table(&lab->view)[0], 0);
	assert_false(is_light());
	assert_int_equal(x(), 1);
	lab_register(lab, 0, true);
	f_other(0);
	assert_int_equal(x(), 1);
	end();
}

/* @ = sum(arg0): the first hits find the element, and find it again after it has gone. */
static void test_learns(void **state)
{
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, 0),
		I(END, 0, 0, 0, 0),
	};
	uint64_t sum = 0, hits;

	(void)state;
	begin_with(code, ARRAY_LEN(code));
	for (int i = 0; i < ROUNDS; i++)
		sum += keep(f_same, special_flags[i % 4]);
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), sum);
	assert_true(is_light());
	f_other(3);
	assert_true(is_light());
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), sum + 17);
	agg_trunc(lab->state, 0);
	state_renew(lab->state);
	/* Interpreted, then by the routine, which finds the new element. */
	for (hits = 1; !is_light(); hits++)
		assert_true(hits < 4);
	assert_true(hits > 1);
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), 7 * hits);
	end();
}

/* @[probefunc] = sum(arg0) */
static void begin_by_name(void)
{
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0),
		I(TUP, 0, 0, 0, 0),
		I(BI, 1, 0, 0, BUILTIN_probefunc),
		I(TPS, 1, 0, 0, 0),
		I(AGGR, 0, 0, 0, 1),
		I(END, 0, 0, 0, 0),
	};

	begin_with(code, ARRAY_LEN(code));
}

struct sums {
	uint64_t same, other;
};

static void add_sum(void *ctx, const struct agg_entry_view *e)
{
	struct sums *sums = ctx;

	if (e->is_reset)
		return;
	if (memchr(e->key, '0', e->key_size)) /* of probe 0, "f0" */
		sums->same += e->value[0];
	else
		sums->other += e->value[0];
}

static void assert_sums(uint64_t same, uint64_t other)
{
	struct sums sums = {0, 0};

	assert_int_equal(
		walk_slot(lab->state, resident_slot(0, 0), lab->image, add_sum, &sums),
		0);
	assert_int_equal(sums.same, same);
	assert_int_equal(sums.other, other);
}

static struct slot *first_slot(void)
{
	return layout_slot(lab->state, resident_slot(0, 0));
}

/* Each site has its element, also when it is in no other cache. */
static void test_finds_by_site(void **state)
{
	struct resident_count_cache *cache;

	(void)state;
	begin_by_name();
	for (int i = 0; i < 3; i++)
		f_other(5);
	for (int i = 0; i < 3; i++)
		f_same(7);
	/* The other cache has it still. */
	cache = (void *)lab->caches;
	cache->sites[0].link = 0;
	assert_false(is_light());
	assert_int_not_equal(cache->sites[0].link, 0);
	memset(first_slot()->cache, 0, sizeof(first_slot()->cache));
	assert_true(is_light());
	f_other(5);
	assert_sums(5 * 7, 4 * 5);
	/* All is forgotten with the thread. */
	assert_int_not_equal(cache->sites[0].link, 0);
	assert_int_not_equal(cache->sites[1].link, cache->sites[0].link);
	lab_register(lab, 0, false);
	assert_false(is_light());
	assert_int_equal(cache->sites[0].link, 0);
	assert_int_equal(cache->sites[1].link, 0);
	assert_sums(6 * 7, 4 * 5);
	end();
}

/* An element that the consumer takes away, before it tells, goes to another key. */
static void test_element_of_another_key(void **state)
{
	struct shard h;
	struct element *e;

	(void)state;
	lab_wishes.aggsize = 127; /* one chain of elements */
	begin_by_name();
	lab_wishes.aggsize = 0;
	while (!is_light())
		;
	h = shard_of(lab->state, resident_slot(0, 0));
	e = shard_element(&h, 0);
	assert_non_null(e);
	atomic_store(&e->removed, atomic_load(&e->sequence));
	f_other(3);
	assert_int_equal(h.slot->rekeyed, 1);
	assert_sums(0, 3);
	assert_false(is_light());
	assert_sums(7, 3);
	assert_true(is_light());
	f_other(3);
	f_other(3);
	assert_sums(2 * 7, 3 * 3);
	end();
}

/* x++ when an indirect jump by this register leaves the function. */
static void begin_leaving(uint8_t reg)
{
	const insn_t code[] = {
		I(LDG, 0, 0, 0, X), I(LI, 1, 0, 0, 1),	I(ADD, 0, 0, 1, 0),
		I(STG, 0, 0, 0, X), I(END, 0, 0, 0, 0),
	};
	struct resident_hit *hits;
	struct resident_range *parts;

	begin_with(code, ARRAY_LEN(code));
	hits = resident_hit_table(&lab->view);
	parts = resident_range_table(&lab->view);
	parts[4] = (struct resident_range){0x2000, 0x3000};
	parts[5] = (struct resident_range){0x5000, 0x6000};
	for (int i = 1; i < 3; i++)
		hits[i] = (struct resident_hit){.kind = RESIDENT_LEAVING,
						.reg = reg,
						.first_range = 4,
						.nranges = 2};
	atomic_store(&resident_site_table(&lab->view)[0].hits, resident_list(1, 1));
	atomic_store(&resident_light_table(&lab->view)[0],
		     lab->place.text + lab->text->leaving +
			     reg * RESIDENT_LEAVING_BYTES);
	f_same(0); /* the first one binds */
}

/* Whether the jump there is passed by without the long way. */
static bool stays(uint8_t reg, uint64_t target, uint64_t extra_flags)
{
	struct cpu in = random_cpu(extra_flags);
	uint64_t *tail = &lab_tcb(lab, 0)->level[0].regs.rip;

	if (reg != CPU_RSP)
		in.gpr[reg] = target;
	*tail = 1;
	keep_all(&in, (const void *)(uintptr_t)f_same);
	return *tail == 1;
}

static void test_jumps_that_stay(void **state)
{
	static const struct {
		uint64_t target;
		bool stays, fires;
	} cases[] = {
		{0x1fff, false, true},
		{0x2000, true, false},
		{0x2fff, true, false},
		{0x3000, false, true},
		{0x5000, false, false},
		{0x5fff, false, false},
		{0x6000, false, true},
		{0, false, true},
		{UINT64_MAX, false, true},
		{0x100002000, false, true},
		{UINT64_C(1) << 63, false, true},
	};

	(void)state;
	for (uint8_t reg = 0; reg < 16; reg++) {
		uint64_t before;

		begin_leaving(reg);
		for (size_t i = 0; i < 4 * ARRAY_LEN(cases); i++) {
			size_t k = i / 4;

			if (reg == CPU_RSP)
				k = 0;
			before = x();
			assert_int_equal(
				stays(reg, cases[k].target, special_flags[i % 4]),
				cases[k].stays);
			assert_int_equal(x(), before + cases[k].fires);
		}
		assert_int_equal(lab_tcb(lab, 0)->gate.busy, 0);
		end();
	}
}

/* The word or the hit is another one by the time that it is looked at. */
static void test_jumps_with_other_hits(void **state)
{
	enum { RDI = 7 };
	struct resident_site *site;

	(void)state;
	begin_leaving(RDI);
	site = resident_site_table(&lab->view);
	assert_true(stays(RDI, 0x2000, 0));
	atomic_store(&site[0].hits, resident_list(1, 2));
	assert_false(stays(RDI, 0x2000, 0));
	atomic_store(&site[0].hits, resident_list(1, 0));
	assert_false(stays(RDI, 0x2000, 0));
	assert_int_equal(x(), 1);
	atomic_store(&site[0].hits, resident_alone(0));
	assert_false(stays(RDI, 0x2000, 0));
	assert_int_equal(x(), 2);
	atomic_store(&site[0].hits, resident_list(1, 1));
	resident_hit_table(&lab->view)[1].kind = RESIDENT_RETURN;
	assert_false(stays(RDI, 0x2000, 0));
	assert_int_equal(x(), 3);
	resident_hit_table(&lab->view)[1].kind = RESIDENT_LEAVING;
	assert_true(stays(RDI, 0x2000, 0));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_is_kept),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_dead_keeper),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_other_ways),
		cmocka_unit_test(test_learns),
		cmocka_unit_test(test_finds_by_site),
		cmocka_unit_test(test_element_of_another_key),
		cmocka_unit_test(test_jumps_that_stay),
		cmocka_unit_test(test_jumps_with_other_hits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
