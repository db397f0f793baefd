/* SPDX-License-Identifier: MIT */
/* Aggregations: values, merging, clear and trunc, and hostile shards. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/unit/support/block_read.h"
#include "tests/unit/support/vm_image.h"
#include "vm/agg.h"
#include "vm/agg/shard.h"

#define LQUANT(base, step, levels)                                                     \
	((uint64_t)(levels) << 48 | (uint64_t)(step) << 32 | (uint32_t)(base))

/* @[arg0] = func(arg1, arg2); one aggregation. */
static struct rig *rig_aggregating(enum agg_func func, uint64_t param, uint32_t words,
				   uint64_t aggsize)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		I(TUP, 0, 0, 0, 0),	      I(BI, 0, 0, 0, BUILTIN_arg0),
		I(TPI, 0, 0, 8, 0),	      I(BI, 1, 0, 0, BUILTIN_arg1),
		I(BI, 2, 0, 0, BUILTIN_arg2), I(AGGR, 1, 2, 0, 0),
		I(END, 0, 0, 0, 0),
	};
	struct verify_error e = {0, ""};
	struct state_config c;
	struct rig *r;
	size_t size;
	void *image;

	build_field(b, field_int(8, false));
	build_agg(b, func, param, words, 1);
	build_clause(b, code, ARRAY_LEN(code));
	image = build_image(b, &size);
	if (program_verify(image, size, &e))
		fail_msg("%s", e.text);
	c = rig_config(image);
	c.aggsize = aggsize;
	r = rig_with(image, size, &c);
	r->world.args[2] = 1;
	return r;
}

static void update(struct rig *r, uint64_t key, int64_t value)
{
	r->world.args[0] = key;
	r->world.args[1] = (uint64_t)value;
	rig_fire(r);
}

/* What a walk over some slots finds of one key. */
struct sum {
	const struct program_agg *agg;
	uint64_t key;
	uint64_t value[256];
	unsigned found, elements;
	bool is_reset;
};

static void add_element(void *ctx, const struct agg_entry_view *e)
{
	struct sum *s = ctx;
	uint64_t key;

	assert_int_equal(e->key_size, 8);
	memcpy(&key, e->key, 8);
	s->elements++;
	if (key != s->key)
		return;
	s->found++;
	s->is_reset = e->is_reset;
	agg_merge(s->agg, s->value, e->value);
}

static struct sum look(struct rig *r, uint64_t key)
{
	struct sum s = {.agg = program_agg(r->image, 0), .key = key};

	agg_initial(s.agg, s.value);
	for (uint32_t slot = 0; slot < 4; slot++)
		assert_int_equal(walk_slot(r->state, slot, r->image, add_element, &s),
				 0);
	return s;
}

static void test_functions(void **state)
{
	static const struct {
		enum agg_func func;
		uint32_t words;
		int64_t input[4]; /* half in one slot, half in another */
		int64_t value[4];
	} cases[] = {
		{AGG_count, 1, {5, 6, 7, 8}, {4, 0}},
		{AGG_sum, 1, {5, -6, 7, -8}, {-2, 0}},
		{AGG_sum, 1, {INT64_MAX, 1, 0, 0}, {INT64_MIN, 0}},
		{AGG_min, 1, {5, -6, 7, 3}, {-6, 0}},
		{AGG_min,
		 1,
		 {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
		 {INT64_MAX, 0}},
		{AGG_max, 1, {-5, -6, -7, -8}, {-5, 0}},
		{AGG_max,
		 1,
		 {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
		 {INT64_MIN, 0}},
		{AGG_avg, 2, {-1, -2, 0, 0}, {4, -3}},
		{AGG_avg, 2, {INT64_MAX, INT64_MAX, 2, 0}, {4, 0}},
		{AGG_stddev, 4, {3, -4, 0, 5}, {4, 4, 50, 0}},
		/* three times 2^126 and almost once more */
		{AGG_stddev,
		 4,
		 {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MAX},
		 {4, -1, 1, -1}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r =
			rig_aggregating(cases[i].func, 0, cases[i].words, 65536);
		struct sum s;

		for (int k = 0; k < 4; k++) {
			r->vm.slot =
				k < 2 ? STATE_SLOT_KEEPER : STATE_SLOT_FIRST_THREAD;
			update(r, 11, cases[i].input[k]);
		}
		s = look(r, 11);
		assert_int_equal(s.found, 2);
		assert_false(s.is_reset);
		for (uint32_t w = 0; w < cases[i].words; w++)
			if (s.value[w] != (uint64_t)cases[i].value[w])
				fail_msg("case %zu word %u: %lld", i, w,
					 (long long)s.value[w]);
		rig_free(r);
	}
}

static void test_quantize(void **state)
{
	static const struct {
		int64_t value;
		uint32_t bucket;
		int64_t label;
	} cases[] = {
		{0, 63, 0},
		{1, 64, 1},
		{2, 65, 2},
		{3, 65, 2},
		{4, 66, 4},
		{1023, 73, 512},
		{1024, 74, 1024},
		{INT64_C(1) << 62, 126, INT64_C(1) << 62},
		{INT64_MAX, 126, INT64_C(1) << 62},
		{-1, 62, -1},
		{-2, 61, -2},
		{-3, 61, -2},
		{-4, 60, -4},
		{-(INT64_C(1) << 62), 0, -(INT64_C(1) << 62)},
		{INT64_MIN + 1, 0, -(INT64_C(1) << 62)},
		{INT64_MIN, 0, -(INT64_C(1) << 62)},
	};
	const struct program_agg a = {.func = AGG_quantize, .words = 127};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_aggregating(AGG_quantize, 0, 127, 65536);
		struct sum s;

		update(r, 1, cases[i].value);
		s = look(r, 1);
		for (uint32_t w = 0; w < 127; w++)
			assert_int_equal(s.value[w], w == cases[i].bucket);
		assert_true(agg_bucket_label(&a, cases[i].bucket) == cases[i].label);
		rig_free(r);
	}
}

static void test_lquantize(void **state)
{
	static const struct {
		int32_t base;
		uint32_t step, levels;
		int64_t value;
		uint32_t bucket;
		int64_t label;
	} cases[] = {
		{0, 10, 10, -1, 0, -1},
		{0, 10, 10, 0, 1, 0},
		{0, 10, 10, 9, 1, 0},
		{0, 10, 10, 10, 2, 10},
		{0, 10, 10, 99, 10, 90},
		{0, 10, 10, 100, 11, 100},
		{-20, 5, 8, -20, 1, -20},
		{-20, 5, 8, -21, 0, -21},
		{-20, 5, 8, 19, 8, 15},
		{-20, 5, 8, 20, 9, 20},
		{INT32_MIN, 65535, 65535 / 512, INT32_MIN, 1, INT32_MIN},
		{0, 1, 4, INT64_C(0x100000002), 5, 4},
		{0, 1, 4, INT64_C(0x80000000), 5, 4},
		{0, 1, 4, INT64_C(-0x100000000), 0, -1},
		{INT32_MIN, 1, 4, INT64_MAX, 5, (int64_t)INT32_MIN + 4},
		{INT32_MAX, 1, 4, INT64_MIN, 0, (int64_t)INT32_MAX - 1},
		{INT32_MIN, 1, 4, INT32_MAX, 5, (int64_t)INT32_MIN + 4},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t param = LQUANT(cases[i].base, cases[i].step, cases[i].levels);
		uint32_t words = cases[i].levels + 2;
		struct rig *r = rig_aggregating(AGG_lquantize, param, words, 65536);
		struct sum s;

		update(r, 1, cases[i].value);
		s = look(r, 1);
		for (uint32_t w = 0; w < words; w++)
			if (s.value[w] != (w == cases[i].bucket))
				fail_msg("case %zu bucket %u: %llu", i, w,
					 (unsigned long long)s.value[w]);
		assert_true(agg_bucket_label(program_agg(r->image, 0),
					     cases[i].bucket) == cases[i].label);
		rig_free(r);
	}
}

/* Every bucket's lower bound falls into it, one less into the one before. */
static void test_llquantize(void **state)
{
	static const struct {
		struct agg_llquantize q;
		uint32_t words;	   /* 0: refused */
		int64_t labels[6]; /* of the first buckets from 1 on */
		int64_t end;
	} cases[] = {
		{{10, 0, 2, 20}, 2 + 9 + 18 + 18, {1, 2, 3, 4, 5, 6}, 1000},
		{{10, 1, 2, 20}, 2 + 18 + 18, {10, 15, 20, 25, 30, 35}, 1000},
		{{10, 2, 3, 10}, 2 + 9 + 9, {100, 200, 300, 400, 500, 600}, 10000},
		{{2, 0, 3, 4}, 2 + 1 + 2 + 2 + 2, {1, 2, 3, 4, 6, 8}, 16},
		{{2, 61, 63, 2},
		 5,
		 {INT64_C(1) << 61, INT64_C(1) << 62, INT64_MAX, INT64_MAX, INT64_MAX,
		  INT64_MAX},
		 INT64_MAX},
		{{10, 0, 19, 10}, 2 + 20 * 9, {1, 2, 3, 4, 5, 6}, INT64_MAX},
		{{1, 0, 2, 10}, 0, {0}, 0},
		{{10, 2, 2, 10}, 0, {0}, 0},
		{{10, 0, 2, 5}, 0, {0}, 0},
		{{10, 0, 2, 15}, 0, {0}, 0},
		{{10, 0, 20, 10}, 0, {0}, 0},
		{{2, 0, 64, 2}, 0, {0}, 0},
		{{2, 0, 63, 32768}, 0, {0}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t param = agg_llquantize_param(&cases[i].q);
		struct program_agg a = {.func = AGG_llquantize,
					.param = param,
					.words = agg_words(AGG_llquantize, param)};

		if (a.words != cases[i].words)
			fail_msg("case %zu: %u words", i, a.words);
		for (uint32_t w = 1; w < a.words; w++) {
			int64_t label = agg_bucket_label(&a, w);

			if (w <= 6)
				assert_true(label ==
					    (w == a.words - 1
						     ? cases[i].end
						     : cases[i].labels[w - 1]));
			if (label == INT64_MAX) /* beyond what a value can be */
				continue;
			assert_int_equal(quant_bucket(&a, label), w);
			assert_int_equal(quant_bucket(&a, label - 1), w - 1);
		}
		if (a.words) {
			assert_int_equal(quant_bucket(&a, INT64_MIN), 0);
			assert_true(agg_bucket_label(&a, a.words - 1) == cases[i].end);
		}
	}
}

static void test_increment(void **state)
{
	struct rig *r = rig_aggregating(AGG_quantize, 0, 127, 65536);

	(void)state;
	r->world.args[2] = 10;
	update(r, 1, 4);
	r->world.args[2] = (uint64_t)-13;
	update(r, 1, 5);
	assert_int_equal((int64_t)look(r, 1).value[66], -3);
	r->world.args[2] = 0;
	update(r, 1, 5);
	assert_int_equal((int64_t)look(r, 1).value[66], -3);
	rig_free(r);
}

static void test_clear_keeps_keys(void **state)
{
	static const struct {
		enum agg_func func;
		uint64_t initial, after;
	} cases[] = {
		{AGG_count, 0, 1},
		{AGG_sum, 0, 9},
		{AGG_min, INT64_MAX, 9},
		{AGG_max, (uint64_t)INT64_MIN, 9},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_aggregating(cases[i].func, 0, 1, 65536);
		struct sum s;

		update(r, 1, 100);
		update(r, 2, 100);
		agg_clear(r->state, 0);
		s = look(r, 1);
		assert_int_equal(s.found, 1);
		assert_int_equal(s.elements, 2);
		assert_true(s.is_reset);
		assert_true(s.value[0] == cases[i].initial);
		update(r, 1, 9);
		s = look(r, 1);
		assert_false(s.is_reset);
		assert_true(s.value[0] == cases[i].after);
		assert_true(look(r, 2).is_reset);
		rig_free(r);
	}
}

static void test_trunc_removes(void **state)
{
	struct rig *r = rig_aggregating(AGG_sum, 0, 1, 65536);

	(void)state;
	update(r, 1, 100);
	update(r, 2, 100);
	agg_trunc(r->state, 0);
	assert_int_equal(look(r, 1).elements, 0);
	update(r, 2, 5);
	assert_int_equal(look(r, 2).elements, 1);
	assert_int_equal(look(r, 2).value[0], 5);
	agg_clear(r->state, 0);
	assert_int_equal(look(r, 2).elements, 1);
	assert_true(look(r, 2).is_reset);
	rig_free(r);
}

/* What a walk shows of one element of the slot. */
struct shown {
	uint64_t key, sequence, removed, offset;
	bool is_there;
};

static void show_element(void *ctx, const struct agg_entry_view *e)
{
	struct shown *s = ctx;

	if (memcmp(e->key, &s->key, sizeof(s->key)) != 0)
		return;
	s->is_there = true;
	s->sequence = e->sequence;
	s->removed = e->removed;
	s->offset = e->offset;
}

static struct shown show_one(struct rig *r, uint64_t key)
{
	struct shown s = {.key = key};

	assert_int_equal(walk_slot(r->state, r->vm.slot, r->image, show_element, &s),
			 0);
	return s;
}

/* An element is taken as it was seen, or not at all. */
static void test_take(void **state)
{
	struct rig *r = rig_aggregating(AGG_sum, 0, 1, 65536);
	struct shown first, now;
	uint64_t key = 2;
	struct agg_mark mark = {.agg = 0, .key = &key, .key_size = sizeof(key)};

	(void)state;
	r->vm.slot = STATE_SLOT_FIRST_THREAD;
	mark.slot = r->vm.slot;
	update(r, 1, 10);
	update(r, 2, 20);
	first = show_one(r, 2);
	assert_true(first.is_there);
	/* Its owner was faster: it goes on adding, and that can be seen. */
	update(r, 2, 1);
	mark.sequence = first.sequence;
	mark.offset = first.offset;
	agg_take(r->state, &mark);
	now = show_one(r, 2);
	assert_true(now.is_there);
	assert_int_equal(now.removed, first.sequence);
	assert_int_equal(look(r, 2).value[0], 21);
	/* Nothing came between: it is gone, and starts again. */
	mark.sequence = now.sequence;
	agg_take(r->state, &mark);
	assert_false(show_one(r, 2).is_there);
	assert_int_equal(look(r, 1).value[0], 10);
	update(r, 2, 3);
	assert_int_equal(look(r, 2).value[0], 3);
	assert_int_equal(show_one(r, 2).removed, 1);
	key = 99; /* there is none */
	agg_take(r->state, &mark);
	rig_free(r);
}

static void test_remove_one(void **state)
{
	struct rig *r = rig_aggregating(AGG_sum, 0, 1, 65536);
	uint64_t key = 2;

	(void)state;
	for (uint32_t slot = 0; slot < 3; slot++) {
		r->vm.slot = slot;
		state_use_slot(r->state, slot);
		update(r, 1, 10);
		update(r, 2, 20);
	}
	remove_key(r->state, r->image, &(struct element_key){0, &key, sizeof(key)});
	assert_int_equal(look(r, 2).found, 0);
	assert_int_equal(look(r, 1).value[0], 30);
	update(r, 2, 7); /* starts again, in that slot only */
	assert_int_equal(look(r, 2).found, 1);
	assert_int_equal(look(r, 2).value[0], 7);
	key = 99;
	remove_key(r->state, r->image, &(struct element_key){0, &key, sizeof(key)});
	assert_int_equal(look(r, 1).value[0], 30);
	rig_free(r);
}

/* Over aggsize: counted, existing elements go on. */
static void test_full(void **state)
{
	struct rig *r = rig_aggregating(AGG_count, 0, 1, 4096);
	struct state_drops *drops = state_drops(r->state, r->vm.slot);

	(void)state;
	for (uint64_t k = 0; k < 1000; k++)
		update(r, k, 0);
	assert_int_equal(look(r, 0).elements + drops->aggs, 1000);
	assert_true(look(r, 0).elements > 40);
	update(r, 0, 0);
	assert_int_equal(look(r, 0).value[0], 2);
	rig_free(r);
}

/* aggsize is for what comes after the last agg_keep(): no key of a long run is lost. */
static void test_keep(void **state)
{
	struct rig *r = rig_aggregating(AGG_count, 0, 1, 4096);
	struct state_drops *drops = state_drops(r->state, r->vm.slot);

	(void)state;
	for (uint64_t k = 0; k < 2000; k++) {
		if (k % 20 == 0)
			agg_keep(r->state, r->vm.slot);
		update(r, k, 0);
	}
	assert_int_equal(drops->aggs, 0);
	assert_int_equal(look(r, 0).elements, 2000);
	for (uint64_t k = 2000; k < 3000; k++)
		update(r, k, 0);
	assert_true(drops->aggs > 500);
	rig_free(r);
}

/* Keys and values of 100,000 elements fit into 4m; fewer where chains are long. */
static void test_many(void **state)
{
	const uint64_t n = BUCKETS_MAX > 1000 ? 100000 : 2000;
	struct rig *r = rig_aggregating(AGG_count, 0, 1, n == 2000 ? 64000 : 4 << 20);

	(void)state;
	for (uint64_t k = 0; k < n; k++)
		update(r, k * 977, 0);
	assert_int_equal(state_drops(r->state, r->vm.slot)->aggs, 0);
	assert_int_equal(look(r, 0).elements, n);
	assert_int_equal(look(r, 977 * (n - 1)).value[0], 1);
	rig_free(r);
}

/* Truncated elements make room for other keys. */
static void test_reuse(void **state)
{
	struct rig *r = rig_aggregating(AGG_count, 0, 1, 4096);
	struct state_drops *drops = state_drops(r->state, r->vm.slot);

	(void)state;
	for (uint64_t round = 0; round < 200; round++) {
		for (uint64_t k = 0; k < 10; k++)
			update(r, round * 1000 + k, 0);
		assert_true(look(r, 0).elements <= 10);
		agg_trunc(r->state, 0);
	}
	assert_true(drops->aggs < 100);
	rig_free(r);
}

/* Larger than a chunk, so it lies in several. */
static void test_wide_element(void **state)
{
	struct rig *r = rig_aggregating(AGG_lquantize, LQUANT(0, 1, 4000), 4002, 65536);
	struct shard h = shard_of(r->state, r->vm.slot);
	_Atomic uint64_t *w;

	(void)state;
	update(r, 1, -5);
	update(r, 1, 3999);
	update(r, 1, 4000);
	update(r, 1, 4001);
	w = shard_word(&h, sizeof(struct element) + 8 + 4000 * 8);
	assert_non_null(w);
	assert_int_equal(*w, 1);
	w = shard_word(&h, sizeof(struct element) + 8 + 4001 * 8);
	assert_int_equal(*w, 2);
	rig_free(r);
}

static void ignore_element(void *ctx, const struct agg_entry_view *e)
{
	(void)ctx;
	(void)e;
}

/* A value of 65,537 words, the largest there is, walks whole. */
static void test_widest_element(void **state)
{
	struct rig *r =
		rig_aggregating(AGG_lquantize, LQUANT(0, 1, 65535), 65537, 1 << 20);
	unsigned count = 0;

	(void)state;
	update(r, 1, 5);
	assert_int_equal(
		walk_slot(r->state, r->vm.slot, r->image, ignore_element, &count), 0);
	assert_int_equal(state_drops(r->state, r->vm.slot)->aggs, 0);
	rig_free(r);
}

/* An owner that died in the middle of an update: busy, then settled. */
static void test_dead_owner(void **state)
{
	/* A count has counted as soon as it is busy. */
	static const struct {
		enum agg_func func;
		uint64_t settled, next;
	} cases[] = {{AGG_sum, 1, 2}, {AGG_count, 2, 3}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_aggregating(cases[i].func, 0, 1, 65536);
		struct shard h = shard_of(r->state, r->vm.slot);

		update(r, 1, 1);
		update(r, 2, 1);
		h.slot->updated = 0; /* it died in an update of the first */
		shard_element(&h, 0)->sequence++;
		assert_int_equal(look(r, 1).found, 0);
		assert_int_equal(look(r, 2).found, 1);
		state_release_claims(r->state, r->vm.slot);
		assert_int_equal(look(r, 1).value[0], cases[i].settled);
		/* or the slot's next owner goes on */
		shard_element(&h, 0)->sequence++;
		update(r, 1, 1);
		assert_int_equal(look(r, 1).value[0], cases[i].next);
		rig_free(r);
	}
}

/* Every word of a small shard spoilt by several values: refused or harmless. */
static void test_spoilt_shard(void **state)
{
	static const uint32_t values[] = {
		0, 1, 7, 64, 0x10000, INT32_MAX, 0x80000000, 0xfffffff8, UINT32_MAX};
	struct rig *r = rig_aggregating(AGG_quantize, 0, 127, 8192);
	struct shard h = shard_of(r->state, r->vm.slot);
	unsigned count = 0;

	(void)state;
	for (uint64_t at = 0; at < 3200; at += 4) {
		for (size_t v = 0; v < ARRAY_LEN(values); v++) {
			uint32_t *p, old;

			for (uint64_t k = 0; k < 4; k++)
				update(r, k, 100);
			p = shard_at(&h, at, 4);
			if (!p)
				continue;
			old = *p;
			*p = values[v];
			for (uint64_t k = 0; k < 6; k++) {
				update(r, k, -3);
				remove_key(r->state, r->image,
					   &(struct element_key){0, &k, 8});
			}
			walk_slot(r->state, r->vm.slot, r->image, ignore_element,
				  &count);
			agg_settle(r->state, r->vm.slot);
			*p = old;
		}
	}
	rig_free(r);
}

static void test_spoilt_slot(void **state)
{
	static const uint64_t values[] = {1, 4, 8, 8192, 8193, UINT32_MAX, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct rig *r = rig_aggregating(AGG_quantize, 0, 127, 8192);
		struct shard h = shard_of(r->state, r->vm.slot);
		unsigned count = 0;
		int rc;

		update(r, 1, 1);
		h.slot->shard_used = values[i];
		rc = walk_slot(r->state, r->vm.slot, r->image, ignore_element, &count);
		assert_true(rc == 0 || rc == STATUS_BADFMT);
		if (values[i] > 8192)
			assert_int_equal(rc, STATUS_BADFMT);
		update(r, 2, 1);
		h.chunks[0] = (uint32_t)values[i];
		h.buckets[0] = (uint32_t)values[i];
		for (uint64_t k = 0; k < 100; k++)
			update(r, k, 1);
		walk_slot(r->state, r->vm.slot, r->image, ignore_element, &count);
		rig_free(r);
	}
}

/* Two slots that name the same chunk, or one that names it twice: read once. */
static void test_shared_chunk(void **state)
{
	struct rig *r = rig_aggregating(AGG_sum, 0, 1, 65536);
	struct shard h[2];
	struct agg_walk w = {.state = r->state, .image = r->image};
	unsigned count = 0;

	(void)state;
	for (uint32_t slot = 0; slot < 2; slot++) {
		r->vm.slot = slot;
		update(r, slot, 1);
		h[slot] = shard_of(r->state, slot);
	}
	w.seen = calloc(agg_seen_words(r->state), sizeof(*w.seen));
	w.table = calloc(agg_table_entries(r->state), sizeof(*w.table));
	w.copy = calloc(1, agg_copy_bytes());
	w.each = ignore_element;
	w.ctx = &count;
	h[1].chunks[0] = load32(&h[0].chunks[0]);
	assert_int_equal(agg_walk(&w, 0), 0);
	assert_int_equal(agg_walk(&w, 1), STATUS_BADFMT);
	/* Within one shard, as far as it is in use. */
	memset(w.seen, 0, agg_seen_words(r->state) * sizeof(*w.seen));
	h[0].chunks[1] = load32(&h[0].chunks[0]);
	assert_int_equal(agg_walk(&w, 0), 0);
	memset(w.seen, 0, agg_seen_words(r->state) * sizeof(*w.seen));
	h[0].slot->shard_used = CHUNK_BYTES + 8;
	assert_int_equal(agg_walk(&w, 0), STATUS_BADFMT);
	free(w.seen);
	free(w.table);
	free(w.copy);
	rig_free(r);
}

/* Elements that are always busy cost a limited number of tries, for all together. */
static void test_always_busy(void **state)
{
	struct rig *r = rig_aggregating(AGG_sum, 0, 1, 65536);
	struct shard h = shard_of(r->state, r->vm.slot);
	struct agg_walk w = {.state = r->state, .image = r->image};
	unsigned count = 0;

	(void)state;
	for (uint64_t k = 0; k < 300; k++)
		update(r, k, 1);
	for (uint64_t k = 0; k < 300; k++) {
		struct agg_key key = agg_key_of(0, &k, sizeof(k));

		shard_element(&h, shard_find(&h, &key, NULL))->sequence |= 1;
	}
	w.seen = calloc(agg_seen_words(r->state), sizeof(*w.seen));
	w.table = calloc(agg_table_entries(r->state), sizeof(*w.table));
	w.copy = calloc(1, agg_copy_bytes());
	w.each = ignore_element;
	w.ctx = &count;
	assert_int_equal(agg_walk(&w, r->vm.slot), 0);
	assert_int_equal(count, 0);
	assert_true(w.tries <= 100000 + 300);
	free(w.seen);
	free(w.table);
	free(w.copy);
	rig_free(r);
}

static struct sum look_at_slot(struct rig *r, uint64_t key, uint32_t slot)
{
	struct sum s = {.agg = program_agg(r->image, 0), .key = key};

	agg_initial(s.agg, s.value);
	assert_int_equal(walk_slot(r->state, slot, r->image, add_element, &s), 0);
	return s;
}

#define ARCHIVE 3

static void absorb_element(void *ctx, const struct agg_entry_view *e)
{
	struct rig *r = ctx;

	assert_true(agg_absorb(r->state, ARCHIVE, r->image, e));
}

static void absorb_slot(struct rig *r, uint32_t slot)
{
	assert_int_equal(walk_slot(r->state, slot, r->image, absorb_element, r), 0);
}

/* A value that is moved to another slot adds up there, for every function. */
static void test_absorb(void **state)
{
	static const struct {
		enum agg_func func;
		uint32_t words;
	} cases[] = {{AGG_count, 1}, {AGG_sum, 1},    {AGG_min, 1},	  {AGG_max, 1},
		     {AGG_avg, 2},   {AGG_stddev, 4}, {AGG_quantize, 127}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r =
			rig_aggregating(cases[i].func, 0, cases[i].words, 65536);
		struct sum both, moved;

		for (uint64_t n = 0; n < 9; n++) {
			r->vm.slot = n % 2;
			update(r, 1, (int64_t)(n * n) - 20);
		}
		both = look(r, 1);
		for (uint32_t slot = 0; slot < 2; slot++)
			absorb_slot(r, slot);
		moved = look_at_slot(r, 1, ARCHIVE);
		assert_int_equal(moved.found, 1);
		assert_memory_equal(moved.value, both.value, cases[i].words * 8);
		rig_free(r);
	}
}

/* What was cleared stays a key without a value. */
static void test_absorb_cleared(void **state)
{
	struct rig *r = rig_aggregating(AGG_min, 0, 1, 65536);
	struct sum moved;

	(void)state;
	r->vm.slot = 0;
	update(r, 1, 5);
	agg_clear(r->state, 0);
	absorb_slot(r, 0);
	moved = look_at_slot(r, 1, ARCHIVE);
	assert_int_equal(moved.found, 1);
	assert_true(moved.is_reset);
	rig_free(r);
}

enum { WRITER_UPDATES = 500000 };

static void *keep_updating(void *arg)
{
	struct rig *r = arg;

	for (int64_t i = 0; i < WRITER_UPDATES; i++)
		update(r, (uint64_t)i % 2, 4);
	return NULL;
}

/* Copies are consistent: avg's sum is never apart from its count. */
static void check_pair(void *ctx, const struct agg_entry_view *e)
{
	unsigned *seen = ctx;
	uint64_t n = e->value[0], sum = e->value[1];

	++*seen;
	if (sum != 4 * n)
		fail_msg("count %llu sum %llu", (unsigned long long)n,
			 (unsigned long long)sum);
}

static void test_concurrent_reader(void **state)
{
	struct rig *r = rig_aggregating(AGG_avg, 0, 2, 65536);
	pthread_t thread;
	uint64_t total = 0;
	unsigned seen = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, keep_updating, r), 0);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(
			walk_slot(r->state, r->vm.slot, r->image, check_pair, &seen),
			0);
	pthread_join(thread, NULL);
	for (uint64_t k = 0; k < 2; k++)
		total += look(r, k).value[0];
	assert_int_equal(total, WRITER_UPDATES);
	rig_free(r);
}

static struct rig *interrupted;
static struct agg_walk look_walk; /* made before: a handler may not allocate */
static volatile unsigned interruptions, pairs_seen, pairs_torn;

static void count_torn(void *ctx, const struct agg_entry_view *e)
{
	(void)ctx;
	pairs_seen++;
	pairs_torn += e->value[1] != 4 * e->value[0];
}

static void look_from_signal(int signal)
{
	(void)signal;
	interruptions++;
	memset(look_walk.seen, 0,
	       agg_seen_words(interrupted->state) * sizeof(*look_walk.seen));
	agg_walk(&look_walk, interrupted->vm.slot);
}

/* The owner stopped at any instruction: its element is skipped, never half shown. */
static void test_interrupted_owner(void **state)
{
	const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = look_from_signal}, old;

	(void)state;
	interrupted = rig_aggregating(AGG_avg, 0, 2, 65536);
	walk_prepare(&look_walk, interrupted->state, interrupted->image);
	look_walk.each = count_torn;
	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	while (interruptions < 4000)
		update(interrupted, 1, 4);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	assert_true(pairs_seen > 0);
	assert_int_equal(pairs_torn, 0);
	walk_release(&look_walk);
	rig_free(interrupted);
}

/* clear() while an owner updates: no update is counted twice or kept from before. */
static void test_concurrent_clear(void **state)
{
	struct rig *r = rig_aggregating(AGG_count, 0, 1, 65536);
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, keep_updating, r), 0);
	for (int i = 0; i < 500; i++) {
		agg_clear(r->state, 0);
		agg_trunc(r->state, 0);
	}
	pthread_join(thread, NULL);
	agg_trunc(r->state, 0);
	assert_int_equal(look(r, 0).elements, 0);
	update(r, 0, 0);
	assert_int_equal(look(r, 0).value[0], 1);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_quantize),
		cmocka_unit_test(test_lquantize),
		cmocka_unit_test(test_llquantize),
		cmocka_unit_test(test_increment),
		cmocka_unit_test(test_clear_keeps_keys),
		cmocka_unit_test(test_trunc_removes),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_remove_one),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_wide_element),
		cmocka_unit_test(test_widest_element),
		cmocka_unit_test(test_dead_owner),
		cmocka_unit_test(test_spoilt_shard),
		cmocka_unit_test(test_spoilt_slot),
		cmocka_unit_test(test_shared_chunk),
		cmocka_unit_test(test_always_busy),
		cmocka_unit_test(test_absorb),
		cmocka_unit_test(test_absorb_cleared),
		cmocka_unit_test(test_concurrent_reader),
		cmocka_unit_test(test_interrupted_owner),
		cmocka_unit_test(test_concurrent_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
