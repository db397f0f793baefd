/* SPDX-License-Identifier: MIT */
/*
 * The quick way of hits that only count (hook/resident.h): which hits take it, what
 * keeps them from it, and that nothing is counted twice, elsewhere, or not at all.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/block_read.h"
#include "tests/unit/support/resident_lab.h"
#include "vm/agg/shard.h"

uint64_t f_one(uint64_t a);
uint64_t f_two(uint64_t a);

extern const unsigned char f_one_end[], f_two_end[];

__asm__(".pushsection .text\n"
	".p2align 12\n"
	".globl hooked_begin, hooked_end, f_one, f_one_end, f_two, f_two_end\n"
	"hooked_begin:\n"
	"f_one:\n"
	"	mov %rdi, %rax\n"
	"	add $1, %rax\n"
	"	ret\n"
	"f_one_end:\n"
	".p2align 6\n"
	"f_two:\n"
	"	mov %rdi, %rax\n"
	"	add $2, %rax\n"
	"	ret\n"
	"f_two_end:\n"
	".p2align 12\n"
	"hooked_end:\n"
	".popsection\n");

static struct lab *lab;
static uint32_t first_slot(void)
{
	return resident_slot(0, 0);
}

static uint64_t count(void)
{
	return lab_count(lab, first_slot());
}

/* Only a hit that takes the long way tells in the level where it goes on. */
static bool is_quick(void)
{
	uint64_t *tail = &lab_tcb(lab, 0)->level[0].regs.rip;
	uint64_t before = *tail;
	bool is_kept;

	*tail = 1;
	assert_int_equal(f_one(7), 8);
	is_kept = *tail == 1;
	*tail = before;
	return is_kept;
}

/* @[probefunc] = count() on f_one and f_two, counted once each on the long way. */
static void begin(struct builder *b)
{
	lab = lab_new(b);
	lab_hook(lab, f_one, f_one_end, 0);
	lab_hook(lab, f_two, f_two_end, 1);
	lab_register(lab, 0, false);
}

static void begin_cached(void)
{
	begin(lab_counting());
	assert_false(is_quick());
	assert_int_equal(f_two(7), 9);
	assert_true(is_quick());
	assert_int_equal(count(), 3);
}

struct seen {
	uint64_t sequence, offset;
	size_t key_size;
	unsigned char key[64];
};

static void see(void *ctx, const struct agg_entry_view *e)
{
	struct seen *seen = ctx;

	/* That of probe 0, "f0". */
	if (!memchr(e->key, '0', e->key_size))
		return;
	seen->sequence = e->sequence;
	seen->offset = e->offset;
	seen->key_size = e->key_size;
	memcpy(seen->key, e->key, e->key_size);
}

static struct seen seen_one(void)
{
	struct seen seen = {.sequence = 0};

	assert_int_equal(walk_slot(lab->state, first_slot(), lab->image, see, &seen),
			 0);
	assert_true(seen.sequence > 0);
	return seen;
}

static void renew(void)
{
	state_renew(lab->state);
}

static void clear(void)
{
	agg_clear(lab->state, 0);
	renew();
}

static void truncate_all(void)
{
	agg_trunc(lab->state, 0);
	renew();
}

static void take(void)
{
	struct seen seen = seen_one();
	const struct agg_mark mark = {
		first_slot(), 0, seen.key, seen.key_size, seen.sequence, seen.offset};

	agg_take(lab->state, &mark);
	renew();
}

static void remove_it(void)
{
	struct seen seen = seen_one();

	remove_key(lab->state, lab->image,
		   &(struct element_key){0, seen.key, seen.key_size});
}

static void stop(void)
{
	state_stop(lab->state);
}

static void lose_keeper(void)
{
	atomic_store(&lab->block->keeper, 77 | RESIDENT_KEEPER_DIED);
}

static void use_more_names(void)
{
	lab_program(lab, 100);
}

static void use_nothing(void)
{
	atomic_store(&lab->block->program, 0);
	atomic_fetch_add(&lab->block->generation, 1);
	state_renew(lab->state);
}

static void set_hits(uint64_t hits)
{
	struct resident_site *sites = resident_site_table(&lab->view);

	atomic_store(&sites[0].hits, hits);
	state_renew(lab->state);
}

static void add_probe(void)
{
	struct resident_hit *hits = resident_hit_table(&lab->view);

	for (uint32_t i = 0; i < 2; i++)
		hits[i] = (struct resident_hit){.probe = i};
	set_hits(resident_list(0, 2));
}

static void remove_probes(void)
{
	set_hits(resident_list(0, 0));
}

static void become_another_thread(void)
{
	lab_register(lab, 0, false);
}

static void nothing(void)
{
}

/* After three hits, two of them of f_one; then f_one is hit twice more. */
static void test_what_keeps_from_it(void **state)
{
	static const struct {
		const char *what;
		void (*disturb)(void);
		bool is_quick[2];
		uint64_t count[2];
	} cases[] = {
		{"nothing", nothing, {true, true}, {4, 5}},
		{"renewed", renew, {false, true}, {4, 5}},
		{"clear", clear, {false, true}, {1, 2}},
		{"trunc", truncate_all, {false, true}, {1, 2}},
		{"one element taken away", take, {false, true}, {2, 3}},
		{"one element removed", remove_it, {false, true}, {2, 3}},
		{"exit", stop, {false, false}, {3, 3}},
		{"the keeper's death", lose_keeper, {false, true}, {3, 3}},
		{"a larger program", use_more_names, {false, true}, {4, 5}},
		{"no program", use_nothing, {false, false}, {3, 3}},
		{"a second probe", add_probe, {false, false}, {5, 7}},
		{"no probe", remove_probes, {false, false}, {3, 3}},
		{"another thread", become_another_thread, {false, true}, {4, 5}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin_cached();
		cases[i].disturb();
		for (int k = 0; k < 2; k++) {
			if (is_quick() != cases[i].is_quick[k] ||
			    count() != cases[i].count[k])
				fail_msg("%s: count %d is %llu", cases[i].what, k,
					 (unsigned long long)count());
		}
		lab_free(lab);
	}
}

/* The elements of a thread before are counted in no more, nor are its sites known. */
static void test_cache_is_forgotten(void **state)
{
	struct resident_count_cache *notes;

	(void)state;
	begin_cached();
	notes = (void *)lab->caches;
	assert_int_not_equal(notes->sites[0].counter, 0);
	assert_int_not_equal(notes->sites[1].counter, 0);
	lab_register(lab, 0, false);
	assert_false(is_quick());
	assert_int_not_equal(notes->sites[0].counter, 0);
	assert_int_equal(notes->sites[1].counter, 0);
	lab_free(lab);
}

/* An element taken away by the consumer goes to another key before all is renewed. */
static void test_element_of_another_key(void **state)
{
	struct shard h;
	struct element *e;

	(void)state;
	lab_wishes.aggsize = 127; /* one chain of elements */
	begin(lab_counting());
	lab_wishes.aggsize = 0;
	assert_false(is_quick());
	assert_true(is_quick());
	h = shard_of(lab->state, first_slot());
	e = shard_element(&h, 0);
	assert_non_null(e);
	atomic_store(&e->removed, atomic_load(&e->sequence));
	f_two(7);
	assert_int_equal(h.slot->rekeyed, 1);
	assert_int_equal(count(), 1);
	assert_false(is_quick());
	assert_int_equal(count(), 2);
	assert_true(is_quick());
	lab_free(lab);
}

/* Clauses that do more than count once. */
static void test_which_clauses(void **state)
{
	const struct {
		const char *what;
		insn_t code[8];
		uint32_t n;
		bool is_quick;
	} cases[] = {
		{"@ = count()",
		 {I(TUP, 0, 0, 0, 0), I(LI, 1, 0, 0, 0), I(AGGR, 1, 1, 0, 0),
		  I(END, 0, 0, 0, 0)},
		 4,
		 true},
		{"timestamp",
		 {I(BI, 0, 0, 0, BUILTIN_timestamp), I(TUP, 0, 0, 0, 0),
		  I(AGGR, 0, 0, 0, 0), I(END, 0, 0, 0, 0)},
		 4,
		 false},
		{"nothing", {I(END, 0, 0, 0, 0)}, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct builder *b = builder_new();

		build_agg(b, AGG_count, 0, 1, 0);
		build_clause(b, cases[i].code, cases[i].n);
		begin(b);
		is_quick();
		if (is_quick() != cases[i].is_quick)
			fail_msg("%s", cases[i].what);
		lab_free(lab);
	}
}

/* Two clauses that would be quick each. */
static void test_two_clauses(void **state)
{
	const insn_t code[] = {I(TUP, 0, 0, 0, 0), I(LI, 1, 0, 0, 0),
			       I(AGGR, 1, 1, 0, 0), I(END, 0, 0, 0, 0)};
	struct builder *b = builder_new();

	(void)state;
	build_agg(b, AGG_count, 0, 1, 0);
	build_clause(b, code, ARRAY_LEN(code));
	build_clause(b, code, ARRAY_LEN(code));
	begin(b);
	is_quick();
	assert_false(is_quick());
	assert_int_equal(count(), 4);
	lab_free(lab);
}

static volatile int clock_signal;

/* Called from inside resident code: the block's clock. */
static int signalling_clock(int clock, struct timespec *ts)
{
	if (clock_signal)
		raise(clock_signal);
	return clock_gettime(clock, ts);
}

static void call_one(int sig)
{
	clock_signal = 0;
	assert_int_equal(f_one((uint64_t)sig), (uint64_t)sig + 1);
}

/* A hit inside a firing counts in the second level's slot, whatever is noted. */
static void test_amid_a_firing(void **state)
{
	const insn_t counting[] = {I(TUP, 0, 0, 0, 0), I(LI, 1, 0, 0, 0),
				   I(AGGR, 1, 1, 0, 0), I(END, 0, 0, 0, 0)};
	const insn_t asking[] = {I(BI, 0, 0, 0, BUILTIN_timestamp), I(END, 0, 0, 0, 0)};
	struct builder *b = builder_new();

	(void)state;
	build_agg(b, AGG_count, 0, 1, 0);
	build_clause(b, counting, ARRAY_LEN(counting));
	build_clause(b, asking, ARRAY_LEN(asking));
	lab_wishes.is_apart = true;
	begin(b);
	lab_wishes.is_apart = false;
	lab->block->clock = (uintptr_t)signalling_clock;
	signal(SIGUSR1, call_one);
	is_quick();
	assert_true(is_quick());
	for (uint64_t i = 1; i <= 10; i++) {
		clock_signal = SIGUSR1;
		assert_int_equal(f_two(1), 3);
		assert_int_equal(count(), 2);
		assert_int_equal(lab_count(lab, resident_slot(0, 1)), i);
	}
	assert_true(is_quick());
	assert_int_equal(count(), 3);
	signal(SIGUSR1, SIG_DFL);
	lab_free(lab);
}

enum { THREADS = 4, CALLS = 300000 };

static void *work(void *arg)
{
	const uint32_t *index = arg;

	lab_register(lab, *index, false);
	for (uint64_t i = 0; i < CALLS; i++)
		if (f_one(i) != i + 1)
			abort();
	lab_set_gs(0);
	return NULL;
}

static void add_grown(void *ctx, const struct agg_entry_view *e)
{
	uint64_t *last = ctx;

	assert_true(e->value[0] >= *last);
	*last = e->value[0];
}

/* The consumer sees counts that only grow, and loses none, whatever is renewed. */
static void test_threads(void **state)
{
	pthread_t threads[THREADS];
	uint32_t index[THREADS];
	uint64_t last[THREADS] = {0};

	(void)state;
	begin(lab_counting());
	lab_set_gs(0);
	for (uint32_t i = 0; i < THREADS; i++) {
		index[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, work, &index[i]), 0);
	}
	for (int k = 0; k < 3000; k++) {
		for (uint32_t i = 0; i < THREADS; i++)
			assert_int_equal(walk_slot(lab->state, resident_slot(i, 0),
						   lab->image, add_grown, &last[i]),
					 0);
		if (k % 8 == 0)
			state_renew(lab->state);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(lab_count(lab, resident_slot(i, 0)), CALLS);
		assert_int_equal(lab_tcb(lab, i)->gate.fired, CALLS);
	}
	lab_free(lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_keeps_from_it),
		cmocka_unit_test(test_cache_is_forgotten),
		cmocka_unit_test(test_element_of_another_key),
		cmocka_unit_test(test_which_clauses),
		cmocka_unit_test(test_two_clauses),
		cmocka_unit_test(test_amid_a_firing),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
