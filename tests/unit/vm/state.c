/* SPDX-License-Identifier: MIT */
/* The block's layout, its check, and the free lists in it. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/status.h"
#include "vm/block/layout.h"

static const struct state_config usual = {
	.nslots = 4,
	.strsize = 256,
	.globals = 64,
	.locals = 3,
	.naggs = 2,
	.bufsize = 65536,
	.aggsize = 65536,
	.dynvarsize = 65536,
};

static struct state *make(const struct state_config *c, uint64_t *size)
{
	struct state *s;

	*size = state_size(c);
	s = aligned_alloc(4096, *size);
	memset(s, 0, *size);
	assert_int_equal(state_init(s, *size, c), 0);
	return s;
}

static void test_sizes(void **state)
{
	static const struct {
		size_t field;
		uint64_t value;
		bool is_wide;
	} bad[] = {
		{offsetof(struct state_config, nslots), 0, false},
		{offsetof(struct state_config, nslots), 65537, false},
		{offsetof(struct state_config, strsize), 0, false},
		{offsetof(struct state_config, strsize), UINT32_MAX, false},
		{offsetof(struct state_config, globals), UINT32_MAX, false},
		{offsetof(struct state_config, locals), UINT32_MAX, false},
		{offsetof(struct state_config, naggs), UINT32_MAX, false},
		{offsetof(struct state_config, bufsize), UINT64_MAX, true},
		{offsetof(struct state_config, aggsize), UINT64_MAX, true},
		{offsetof(struct state_config, dynvarsize), UINT64_MAX, true},
	};

	(void)state;
	assert_true(state_size(&usual) > 0);
	assert_int_equal(state_size(&usual) % 4096, 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct state_config c = usual;

		memcpy((char *)&c + bad[i].field, &bad[i].value,
		       bad[i].is_wide ? 8 : 4);
		assert_int_equal(state_size(&c), 0);
		assert_int_equal(state_init(NULL, UINT64_MAX, &c), STATUS_INVAL);
	}
	assert_int_equal(state_init(NULL, 4096, &usual), STATUS_INVAL);
}

/* The largest of everything still adds up. */
static void test_slots_used(void **state)
{
	uint64_t size;
	struct state *s = make(&usual, &size);

	(void)state;
	assert_int_equal(state_slots_used(s), STATE_SLOT_FIRST_THREAD);
	state_use_slot(s, STATE_SLOT_KEEPER);
	assert_int_equal(state_slots_used(s), STATE_SLOT_FIRST_THREAD);
	state_use_slot(s, 2);
	assert_int_equal(state_slots_used(s), 3);
	state_use_slot(s, 3);
	state_use_slot(s, 2);
	assert_int_equal(state_slots_used(s), 4);
	s->slots = UINT32_MAX;
	assert_int_equal(state_slots_used(s), usual.nslots);
	s->slots = 0;
	assert_int_equal(state_slots_used(s), STATE_SLOT_FIRST_THREAD);
	free(s);
}

static void test_largest(void **state)
{
	const struct state_config c = {
		.nslots = 65536,
		.strsize = 1 << 20,
		.globals = 1 << 30,
		.locals = 65536,
		.naggs = 65536,
		.bufsize = UINT64_C(1) << 34,
		.aggsize = UINT64_C(1) << 34,
		.dynvarsize = UINT64_C(1) << 34,
	};

	(void)state;
	assert_true(state_size(&c) > UINT64_C(1) << 34);
}

/* Chunks that are not open are given to none: there may be no memory. */
static void test_open_chunks(void **state)
{
	const uint32_t steps[] = {3, 5, UINT32_MAX};
	struct slot slot = {0};
	uint32_t taken = 0;
	uint64_t size;
	struct state *s = make(&usual, &size);

	(void)state;
	assert_true(state_chunks(s) > 5);
	assert_int_equal(state_chunks_open(s), state_chunks(s));
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		const uint32_t n = min_u32(steps[i], state_chunks(s)), low = n - 1;

		state_open_chunks(s, steps[i], low);
		assert_int_equal(state_chunks_open(s), n);
		slot.is_short = 0;
		while (layout_take_chunk(s, &slot) != FREELIST_NONE)
			assert_int_equal(slot.is_short, ++taken >= low);
		assert_int_equal(taken, n);
		assert_int_equal(state_chunks_taken(s), n);
	}
	free(s);
}

/* No page beyond the first is touched by laying out. */
static void test_init_is_sparse(void **state)
{
	uint64_t size;
	struct state *s = make(&usual, &size);

	(void)state;
	for (uint64_t i = STATE_LAYOUT_BYTES; i < size; i++)
		assert_int_equal(((unsigned char *)s)[i], 0);
	free(s);
}

/* Every word of the layout spoilt by one bit or by a value is refused. */
static void test_check(void **state)
{
	uint64_t size;
	struct state *s = make(&usual, &size);
	struct state good = *s;

	(void)state;
	assert_int_equal(state_check(s, size), 0);
	assert_int_equal(state_check(s, size + 4096), 0);
	assert_int_equal(state_check(s, size - 4096), STATUS_BADFMT);
	assert_int_equal(state_check(s, 0), STATUS_BADFMT);
	for (size_t at = 0; at < sizeof(*s); at++) {
		for (int bit = 0; bit < 8; bit++) {
			struct state before;

			((unsigned char *)s)[at] ^= (unsigned char)(1u << bit);
			before = *s;
			if (state_check(s, size) == 0) {
				/* a field that moves nothing; what is said stays true */
				assert_int_equal(s->size, good.size);
				assert_int_equal(s->pool_at, good.pool_at);
				assert_int_equal(s->slots_at, good.slots_at);
				assert_int_equal(s->slot_bytes, good.slot_bytes);
			}
			assert_memory_equal(&before, s, sizeof(*s));
			*s = good;
		}
	}
	free(s);
}

static void test_parts_do_not_overlap(void **state)
{
	uint64_t size;
	struct state *s = make(&usual, &size);

	(void)state;
	assert_true(sizeof(*s) <= STATE_LAYOUT_BYTES);
	assert_true(s->slots_at >= STATE_LAYOUT_BYTES + sizeof(struct exchange));
	assert_true(s->aggs_at >= s->control_at + sizeof(struct control));
	assert_true(s->variables_at >= s->aggs_at + 2 * sizeof(struct agg_epochs));
	assert_true(s->specs_at >= s->variables_at + sizeof(struct variables));
	assert_true(s->globals_at >= s->specs_at);
	assert_true(s->buckets_at >= s->globals_at + 64);
	assert_true(s->cells_at >= s->buckets_at + s->nbuckets * 4u);
	assert_true(s->locals_at >= sizeof(struct slot));
	assert_true(s->shard_buckets_at >= s->locals_at + 2 * 3 * 8);
	assert_true(s->shard_chunks_at >= s->shard_buckets_at + s->shard_buckets * 4u);
	assert_true(s->slot_bytes >= s->shard_chunks_at + s->shard_chunks * 4u);
	assert_true(s->pool_at >= s->slots_at + 4 * s->slot_bytes);
	assert_true(s->control_at >= s->pool_at + s->nchunks * (uint64_t)CHUNK_BYTES);
	assert_true(size >= s->cells_at + s->ncells * (uint64_t)CELL_BYTES);
	free(s);
}

/* The regions cover the block, page by page, in their order. */
static void test_regions(void **state)
{
	uint64_t size, at = 0;
	struct state *s = make(&usual, &size);

	(void)state;
	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(s, (enum state_region)i);

		assert_int_equal(r.at, at);
		assert_int_equal(r.at % 4096, 0);
		assert_int_equal(r.size % 4096, 0);
		assert_true(r.size > 0);
		at += r.size;
	}
	assert_int_equal(at, size);
	free(s);
}

/* Another exchange has the same layout and a number. */
static void test_exchange(void **state)
{
	uint64_t size;
	struct state *home = make(&usual, &size), *s = make(&usual, &size);

	(void)state;
	state_use_slot(home, 3);
	assert_int_equal(state_exchange(home), 0);
	state_init_exchange(s, home, 7);
	assert_int_equal(state_exchange(s), 7);
	assert_int_equal(state_check(s, size), 0);
	assert_int_equal(state_slots_used(s), STATE_SLOT_FIRST_THREAD);
	free(home);
	free(s);
}

/* Claims of the same slot in two exchanges are different ones. */
static void test_claims(void **state)
{
	uint64_t size;
	struct state *s = make(&usual, &size);

	(void)state;
	assert_true(claim_take(s, 5, 2));
	s->exchange = 1;
	assert_false(claim_take(s, 5, 2));
	claim_give(s, 5, 2);
	assert_false(claim_take(s, 5, 2));
	s->exchange = 0;
	claim_give(s, 5, 2);
	assert_true(claim_take(s, 5, 3));
	free(s);
}

/* A target stops its own exchange; its view of control is read-only. */
static void test_stop_exchange(void **state)
{
	uint64_t size;
	struct state *s = make(&usual, &size);

	(void)state;
	state_stop_exchange(s);
	assert_true(state_is_stopped(s));
	assert_int_equal(layout_control(s)->stop, 0);
	assert_int_equal(*state_version(s), 1);
	free(s);
}

static void test_stop(void **state)
{
	uint64_t size;
	struct state *s = make(&usual, &size);

	(void)state;
	assert_false(state_is_stopped(s));
	state_stop(s);
	assert_true(state_is_stopped(s));
	free(s);
}

static void test_freelist(void **state)
{
	unsigned char memory[10 * 64] = {0};
	struct freelist_items items = {memory, 64, 10};
	struct freelist list = {0};
	uint64_t top;

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(freelist_take(&list, &items), i);
	assert_int_equal(freelist_take(&list, &items), FREELIST_NONE);
	freelist_give(&list, &items, 3);
	freelist_give(&list, &items, 7);
	assert_int_equal(freelist_take(&list, &items), 7);
	assert_int_equal(freelist_take(&list, &items), 3);
	assert_int_equal(freelist_take(&list, &items), FREELIST_NONE);
	freelist_give(&list, &items, 5);
	top = list.top;
	freelist_take(&list, &items); /* an item that went and came is noticed */
	freelist_give(&list, &items, 5);
	assert_true(list.top != top);
	freelist_take(&list, &items);
	list.top = 77; /* no such item */
	assert_int_equal(freelist_take(&list, &items), FREELIST_NONE);
	freelist_give(&list, &items, 0);
	memory[0] = 0xee; /* a link to nowhere */
	assert_int_equal(freelist_take(&list, &items), 0);
	assert_int_equal(freelist_take(&list, &items), FREELIST_NONE);
}

enum { TAKERS = 4, TAKER_ROUNDS = 50000, TAKER_ITEMS = 8 };

static struct freelist shared_list;
static unsigned char shared_memory[TAKER_ITEMS * 64];
static _Atomic uint32_t owned[TAKER_ITEMS];
static _Atomic uint64_t doubles;

/* No item is ever in two hands. */
static void *take_and_give(void *arg)
{
	struct freelist_items items = {shared_memory, 64, TAKER_ITEMS};

	(void)arg;
	for (int i = 0; i < TAKER_ROUNDS; i++) {
		uint32_t a = freelist_take(&shared_list, &items);
		uint32_t b = freelist_take(&shared_list, &items);

		if (a != FREELIST_NONE)
			doubles += atomic_fetch_add(&owned[a], 1) != 0;
		if (b != FREELIST_NONE)
			doubles += atomic_fetch_add(&owned[b], 1) != 0;
		if (a != FREELIST_NONE) {
			owned[a]--;
			freelist_give(&shared_list, &items, a);
		}
		if (b != FREELIST_NONE) {
			owned[b]--;
			freelist_give(&shared_list, &items, b);
		}
	}
	return NULL;
}

static void test_freelist_threads(void **state)
{
	struct freelist_items items = {shared_memory, 64, TAKER_ITEMS};
	pthread_t threads[TAKERS];

	(void)state;
	for (int i = 0; i < TAKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, NULL),
				 0);
	for (int i = 0; i < TAKERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(doubles, 0);
	for (int i = 0; i < TAKER_ITEMS; i++)
		assert_int_not_equal(freelist_take(&shared_list, &items),
				     FREELIST_NONE);
	assert_int_equal(freelist_take(&shared_list, &items), FREELIST_NONE);
}

/* No file is larger than the limit, and what the sizes promise is there or is not. */
static void test_file_max(void **state)
{
	static const struct {
		uint64_t file_max;
		bool holds;
	} cases[] = {
		{0, true},	   {UINT64_C(1) << 40, true}, {UINT64_C(1) << 30, true},
		{16u << 20, true}, {4u << 20, true},	      {128u << 10, false},
		{1, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct state_config c = usual;
		struct state *s;
		uint64_t size;

		c.file_max = cases[i].file_max;
		c.nslots = min_u32(c.nslots, max_u32(state_nslots_max(&c), 2));
		assert_int_equal(state_holds(&c), cases[i].holds);
		if (!cases[i].holds)
			continue;
		s = make(&c, &size);
		for (int k = 0; c.file_max && k < STATE_REGIONS; k++)
			assert_true(state_region(s, (enum state_region)k).size <=
				    c.file_max);
		assert_int_equal(state_check(s, size), 0);
		free(s);
	}
}

/* A limit leaves fewer slots, and half of the file to what they share. */
static void test_nslots_max(void **state)
{
	struct state_config c = usual;
	struct state s;

	(void)state;
	c.nslots = 1000;
	assert_true(state_nslots_max(&c) >= c.nslots);
	c.file_max = 8u << 20;
	c.nslots = state_nslots_max(&c);
	assert_in_range(c.nslots, 2, 999);
	assert_int_equal(state_init(&s, state_size(&c), &c), 0);
	assert_true(state_slots(&s, c.nslots).size <= c.file_max / 2 + 65536);
	assert_true(state_pool(&s, UINT32_MAX).size >= c.file_max / 2 - 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_slots_used),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_open_chunks),
		cmocka_unit_test(test_init_is_sparse),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_parts_do_not_overlap),
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_stop_exchange),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_file_max),
		cmocka_unit_test(test_nslots_max),
		cmocka_unit_test(test_freelist),
		cmocka_unit_test(test_freelist_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
