/* SPDX-License-Identifier: MIT */
/* Records through a slot's ring: limits, chunks, and writers that die or lie. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <pthread.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"
#include "vm/block/stream.h"

/* trace(arg0), trace(copyinstr(arg1)) */
static struct rig *rig_with_policy(uint64_t bufsize, enum state_policy policy)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		I(TUP, 0, 0, 0, 0),
		I(BI, 0, 0, 0, BUILTIN_arg0),
		I(TPI, 0, 0, 8, 0),
		I(REC, 0, 0, 0, 0),
		I(TUP, 0, 0, 0, 0),
		I(BI, 0, 0, 0, BUILTIN_arg1),
		I(CALL, 1, 0, 1, SUBR_copyinstr),
		I(TPS, 1, 0, 0, 0),
		I(REC, 0, 0, 0, 1),
		I(END, 0, 0, 0, 0),
	};
	struct state_config c;
	struct verify_error e;
	struct rig *r;
	size_t size;
	void *image;

	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	build_field(b, field_string(256));
	build_action(b, ACTION_trace, 1);
	build_clause(b, code, ARRAY_LEN(code));
	image = build_image(b, &size);
	assert_int_equal(program_verify(image, size, &e), 0);
	c = rig_config(image);
	c.bufsize = bufsize;
	c.policy = policy;
	r = rig_with(image, size, &c);
	r->world.args[1] = WORLD_BASE;
	return r;
}

static struct rig *rig_tracing(uint64_t bufsize)
{
	return rig_with_policy(bufsize, STATE_SWITCH);
}

/* Firing n with a text whose length depends on n. */
static void fire_numbered(struct rig *r, uint64_t n)
{
	size_t len = n % 200;

	memset(r->world.memory, 'a' + (int)(n % 26), len);
	r->world.memory[len] = '\0';
	r->world.args[0] = n;
	rig_fire(r);
}

static void check_numbered(const struct rig *r, uint64_t n)
{
	const unsigned char *body = rig_body(r);
	uint64_t number;
	uint32_t len;

	memcpy(&number, body + 8, 8);
	assert_int_equal(number, n);
	memcpy(&len, body + 24, 4);
	assert_int_equal(len, n % 200);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(body[28 + i], 'a' + (int)(n % 26));
}

static uint64_t drops(const struct rig *r)
{
	return state_drops(r->state, r->vm.slot)->records;
}

/* Many times around the pool, with the ring at all fillings; nothing is lost. */
static void test_wrap(void **state)
{
	struct rig *r = rig_tracing(64 << 10);
	uint64_t written = 0, read = 0;

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		for (unsigned i = 0; i < round % 90; i++)
			fire_numbered(r, written++);
		while (written - read > round % 7) {
			assert_non_null(rig_record(r));
			check_numbered(r, read++);
		}
	}
	assert_int_equal(drops(r), 0);
	assert_true(written > 10000);
	rig_free(r);
}

/* Whatever the size of records and chunks, the last ones are there, whole. */
static void test_forgets_oldest(void **state)
{
	static const uint64_t sizes[] = {300, 4096, 16384, 40000};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct rig *r = rig_with_policy(sizes[i], STATE_RING);
		uint64_t n = 3000, bytes, first;

		for (uint64_t k = 0; k < n; k++)
			fire_numbered(r, k);
		assert_non_null(rig_record(r));
		memcpy(&first, (const char *)rig_body(r) + 8, 8);
		check_numbered(r, first);
		bytes = r->buf.record.room;
		assert_int_equal(bytes, 280); /* 12, 8 at 16, 256 */
		for (uint64_t k = first + 1; k < n; k++) {
			assert_non_null(rig_record(r));
			check_numbered(r, k);
			bytes += r->buf.record.room;
		}
		assert_null(rig_record(r));
		assert_true(bytes <= sizes[i]);
		assert_true(bytes + 280 > sizes[i]);
		assert_int_equal(drops(r), 0);
		rig_free(r);
	}
}

/* The first record without room stops tracing; no drop, nothing after it. */
static void test_fill_stops(void **state)
{
	struct rig *r = rig_with_policy(4096, STATE_FILL);
	uint64_t n = 0, read = 0;

	(void)state;
	for (; n < 1000 && !state_is_stopped(r->state); n++)
		fire_numbered(r, n);
	assert_true(n > 10 && n < 100);
	fire_numbered(r, 0);
	for (; rig_record(r); read++)
		check_numbered(r, read);
	assert_int_equal(read, n - 1);
	assert_int_equal(drops(r), 0);
	rig_free(r);
}

static void test_peek_leaves_unread(void **state)
{
	struct rig *r = rig_tracing(64 << 10);

	(void)state;
	ring_advance(rig_reader(r)); /* nothing peeked: nothing happens */
	fire_numbered(r, 1);
	fire_numbered(r, 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(
			ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes)),
			1);
		check_numbered(r, 1);
	}
	ring_advance(rig_reader(r));
	ring_advance(rig_reader(r));
	assert_non_null(rig_record(r));
	check_numbered(r, 2);
	assert_null(rig_record(r));
	rig_free(r);
}

/* Over bufsize records are counted drops; space that was read is usable again. */
static void test_full(void **state)
{
	struct rig *r = rig_tracing(4096);
	uint64_t kept = 0;

	(void)state;
	for (int round = 0; round < 50; round++) {
		uint64_t before = drops(r), got = 0;

		for (uint64_t n = 0; n < 100; n++)
			fire_numbered(r, 64);
		while (rig_record(r))
			got++;
		assert_int_equal(got + drops(r) - before, 100);
		assert_true(got > 10);
		if (round)
			assert_int_equal(got, kept);
		kept = got;
	}
	rig_free(r);
}

static void test_no_buffer(void **state)
{
	struct rig *r = rig_tracing(0);

	(void)state;
	fire_numbered(r, 1);
	assert_null(rig_record(r));
	assert_int_equal(drops(r), 1);
	rig_free(r);
}

/* A clause that records more than a record can hold loses it whole, once. */
static void test_record_too_large(void **state)
{
	struct builder *b = builder_new();
	struct state_config c;
	struct rig *r;
	size_t size;
	void *image;

	(void)state;
	build_field(b, field_string(256));
	build_action(b, ACTION_trace, 1);
	build_insn(b, I(LI, 0, 0, 0, 0));
	{
		uint32_t text = build_string(
			b,
			"0123456789012345678901234567890123456789012345678901234567890"
			"0123456789012345678901234567890123456789012345678901234567890"
			"0123456789012345678901234567890123456789012345678901234567890"
			"012345678901234567890123456789012345678901234567890123456789"
			"0");
		uint32_t n = 0;
		static insn_t code[BUILDER_MAX - 8];

		code[n++] = I(LS, 0, 0, 0, text);
		while (n + 4 < ARRAY_LEN(code)) {
			code[n++] = I(TUP, 0, 0, 0, 0);
			code[n++] = I(TPS, 0, 0, 0, 0);
			code[n++] = I(REC, 0, 0, 0, 0);
		}
		code[n++] = I(END, 0, 0, 0, 0);
		build_clause(b, code, n);
	}
	image = build_image(b, &size);
	c = rig_config(image);
	c.bufsize = 1 << 20;
	r = rig_with(image, size, &c);
	rig_fire(r);
	assert_null(rig_record(r));
	assert_int_equal(drops(r), 1);
	rig_free(r);
}

/* The pool is smaller than what the slots' limits add up to. */
static void test_pool_exhausted(void **state)
{
	struct rig *r = rig_tracing(64 << 10);
	struct exchange *exchange = layout_exchange(r->state);

	(void)state;
	exchange->chunks.fresh = r->state->nchunks - 2;
	for (uint64_t n = 0; n < 1000; n++)
		fire_numbered(r, 64);
	assert_true(drops(r) > 0);
	for (uint64_t n = 0; n + drops(r) < 1000; n++) {
		assert_non_null(rig_record(r));
		check_numbered(r, 64);
	}
	assert_null(rig_record(r));
	fire_numbered(r, 64); /* a chunk came back */
	assert_non_null(rig_record(r));
	rig_free(r);
}

/*
 * A writer that dies before its commit: bytes and chunks beyond the tail are
 * there, and the next owner of the slot writes over them.
 */
static void test_torn_writer(void **state)
{
	struct rig *r = rig_tracing(64 << 10);
	struct slot *slot = layout_slot(r->state, r->vm.slot);
	ring_place tail;

	(void)state;
	for (uint64_t n = 0; n < 500; n++) {
		uint64_t written = slot->written, room = slot->room_taken;

		tail = slot->tail;
		fire_numbered(r, n); /* dies before the tail is stored */
		slot->tail = tail;
		slot->written = written;
		slot->room_taken = room;
		assert_null(rig_record(r));
		fire_numbered(r, n + 1);
		assert_non_null(rig_record(r));
		check_numbered(r, n + 1);
	}
	assert_int_equal(drops(r), 0);
	rig_free(r);
}

/* A place is chunk + 1 and offset. */
static void test_spoilt(void **state)
{
	static const struct {
		uint32_t header_word; /* of the record to spoil, or NO_WORD */
		uint32_t value;
		uint64_t tail; /* or 0: leave */
	} cases[] = {
		{0, 0, 0},
		{0, 8, 0},
		{0, 1 << 20, 0},
		{0, 41, 0},
		{0, UINT32_MAX, 0},
		{1, 99, 0},
		{1, RECORD_FAULT, 0},
		{3, 77, 0}, /* clause */
		{12, 5, 0}, /* action of the first item */
		{13, 4, 0}, /* its size */
		{13, 16, 0},
		{13, UINT32_MAX, 0},
		{16, 0, 0},
		{17, 0xffff, 0},
		{18, 0xffff, 0}, /* length of the string */
		{99, 0, UINT64_MAX},
		{99, 0, UINT64_C(0xffffffff) << 32},
		{99, 0, UINT64_C(1) << 32},
		{99, 0, UINT64_C(1) << 32 | 48},
		{99, 0, 5},
		{99, 0, UINT64_C(1) << 32 | 0xfffff},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_tracing(64 << 10);
		struct slot *slot = layout_slot(r->state, r->vm.slot);
		struct stream_chunk *chunk;

		fire_numbered(r, 20);
		fire_numbered(r, 21);
		chunk = stream_chunk(r->state, slot->first);
		if (cases[i].header_word < 90)
			memcpy(chunk->data + cases[i].header_word * 4, &cases[i].value,
			       4);
		if (cases[i].tail)
			slot->tail = cases[i].tail;
		if (ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes)) !=
		    STATUS_BADFMT)
			fail_msg("case %zu", i);
		assert_int_equal(drops(r), 1);
		assert_null(rig_record(r)); /* emptied */
		fire_numbered(r, 22);
		if (!cases[i].tail) { /* and it works again */
			assert_non_null(rig_record(r));
			check_numbered(r, 22);
		}
		rig_free(r);
	}
}

/* A record that says it is larger than any, or than the buffer, with data to match. */
static void test_size_beyond_buffer(void **state)
{
	static const struct {
		uint32_t size;
		size_t cap;
	} cases[] = {{RING_RECORD_MAX + 8, 2 * RING_RECORD_MAX}, {4096, 4088}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_tracing(1 << 20);
		struct slot *slot = layout_slot(r->state, r->vm.slot);
		unsigned char *buf = malloc(cases[i].cap);

		for (uint64_t n = 0; n < 1000; n++)
			fire_numbered(r, 150);
		memcpy(stream_chunk(r->state, slot->first)->data, &cases[i].size, 4);
		buf[cases[i].cap - 1] = 0xee;
		assert_int_equal(ring_peek(rig_reader(r), buf, cases[i].cap),
				 STATUS_BADFMT);
		assert_int_equal(buf[cases[i].cap - 1], 0xee);
		free(buf);
		rig_free(r);
	}
}

/* A size that is refused is refused before anything of the record is copied. */
static void test_size_is_checked_first(void **state)
{
	struct rig *r = rig_tracing(1 << 20);
	struct slot *slot = layout_slot(r->state, r->vm.slot);
	uint32_t size = RING_RECORD_MAX + 8;

	(void)state;
	for (uint64_t n = 0; n < 1000; n++)
		fire_numbered(r, 150);
	memcpy(stream_chunk(r->state, slot->first)->data, &size, 4);
	memset(r->buf.bytes, 0xee, sizeof(r->buf.bytes));
	assert_int_equal(ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes)),
			 STATUS_BADFMT);
	assert_int_equal(r->buf.bytes[0], 0xee);
	rig_free(r);
}

/* Words of the block that its owner has spoilt. */
static const uint64_t spoilt[] = {0,
				  1,
				  5,
				  UINT64_C(1) << 32,
				  UINT64_MAX,
				  UINT64_C(1) << 32 | 0xffff,
				  UINT64_C(2) << 32 | 0xffff,
				  UINT64_C(3) << 32,
				  UINT64_C(99) << 32 | 8};

/* What the consumer tells the owner lies in the block, too. */
static void test_spoilt_consumer_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spoilt) * 3; i++) {
		struct rig *r = rig_tracing(8 << 10);
		struct slot *slot = layout_slot(r->state, r->vm.slot);
		_Atomic uint64_t *words[] = {&slot->head, &slot->consumed,
					     &slot->room_given};

		for (uint64_t n = 0; n < 60; n++) {
			fire_numbered(r, n);
			ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes));
			*words[i % 3] = spoilt[i / 3];
			ring_advance(rig_reader(r));
		}
		rig_free(r);
	}
}

/* Every link leads to chunk 1, itself: reading still ends. */
static void test_circular_chunks(void **state)
{
	struct rig *r = rig_tracing(64 << 10);
	struct slot *slot = layout_slot(r->state, r->vm.slot);
	int rc = 1;

	(void)state;
	for (uint64_t n = 0; n < 300; n++)
		fire_numbered(r, 150);
	stream_chunk(r->state, slot->first)->next = slot->first;
	for (int i = 0; i < 10000 && rc == 1; i++) {
		rc = ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes));
		if (rc == 1)
			ring_advance(rig_reader(r));
	}
	rig_free(r);
}

/* A circle of whole records, all of them good: no more is read than was written. */
static void test_endless_ring(void **state)
{
	struct rig *r = rig_tracing(64 << 10);
	struct slot *slot = layout_slot(r->state, r->vm.slot);
	uint64_t bytes = 0;
	int rc = 1;

	(void)state;
	fire_numbered(r, 8);
	/* The end is where reading never comes to: the record is read again and again. */
	while (place_offset(slot->tail) < STREAM_DATA - 200)
		fire_numbered(r, 8);
	stream_chunk(r->state, slot->first)->next = slot->first;
	slot->tail = place_make(place_chunk(slot->tail) + 1, 8);
	while (rc == 1 && bytes < 1 << 20) {
		rc = ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes));
		bytes += rc == 1 ? r->buf.record.size : 0;
		if (rc == 1)
			ring_advance(rig_reader(r));
	}
	assert_int_equal(rc, STATUS_BADFMT);
	assert_true(bytes <= slot->written);
	rig_free(r);
}

static void *keep_firing(void *arg)
{
	for (uint64_t n = 0; n < 20000; n++) {
		uint64_t before = drops(arg);

		do { /* until it fits */
			before = drops(arg);
			fire_numbered(arg, n);
		} while (drops(arg) != before);
	}
	return NULL;
}

static void test_concurrent_reader(void **state)
{
	struct rig *r = rig_tracing(8 << 10);
	uint64_t next = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, keep_firing, r), 0);
	while (next < 20000) {
		int rc = ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes));

		assert_true(rc >= 0);
		if (rc == 0)
			continue;
		check_numbered(r, next++);
		ring_advance(rig_reader(r));
	}
	pthread_join(thread, NULL);
	rig_free(r);
}

/* ---- many records at a time ---- */

/* What was taken and is not read yet. */
struct taken {
	unsigned char bytes[2 * RING_RECORD_MAX];
	size_t n;
};

/* As ring_take(), of at most cap bytes. */
static int64_t take(struct rig *r, struct taken *t, size_t cap)
{
	int64_t n = ring_take(rig_reader(r), t->bytes + t->n,
			      min_u64(cap, sizeof(t->bytes) - t->n));

	t->n += n > 0 ? (size_t)n : 0;
	return n;
}

/* Reads the whole records of what was taken. */
static uint64_t read_taken(struct rig *r, struct taken *t, uint64_t next)
{
	size_t at = 0;

	while (t->n - at >= sizeof(struct record)) {
		memcpy(&r->buf, t->bytes + at, sizeof(struct record));
		if (r->buf.record.size > t->n - at)
			break;
		memcpy(&r->buf, t->bytes + at, r->buf.record.size);
		assert_true(ring_is_record(rig_reader(r), &r->buf.record));
		check_numbered(r, next++);
		ring_give_room(rig_reader(r), r->buf.record.room);
		at += r->buf.record.size;
	}
	memmove(t->bytes, t->bytes + at, t->n -= at);
	return next;
}

/* In pieces of any size, over the whole pool: every record once, and room for more. */
static void test_take(void **state)
{
	static const size_t pieces[] = {8, 72, 1000, STREAM_DATA, RING_RECORD_MAX};
	struct taken *t = calloc(1, sizeof(*t));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		struct rig *r = rig_tracing(64 << 10);
		uint64_t written = 0, next = 0;

		t->n = 0;
		for (unsigned round = 0; round < 300; round++) {
			for (unsigned k = 0; k < round % 90; k++)
				fire_numbered(r, written++);
			while (take(r, t, pieces[i]) > 0)
				next = read_taken(r, t, next);
			assert_int_equal(next, written);
			assert_int_equal(t->n, 0);
		}
		assert_int_equal(drops(r), 0);
		rig_free(r);
	}
	free(t);
}

static void test_take_while_firing(void **state)
{
	struct rig *r = rig_tracing(8 << 10);
	struct taken *t = calloc(1, sizeof(*t));
	uint64_t next = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, keep_firing, r), 0);
	while (next < 20000) {
		assert_true(take(r, t, 4000) >= 0);
		next = read_taken(r, t, next);
	}
	pthread_join(thread, NULL);
	free(t);
	rig_free(r);
}

/* A stream that ends before its end, or in a circle, or that is none: it is given up. */
static void test_take_spoilt(void **state)
{
	struct taken *t = calloc(1, sizeof(*t));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spoilt) * 2; i++) {
		struct rig *r = rig_tracing(64 << 10);
		struct slot *slot = layout_slot(r->state, r->vm.slot);
		uint64_t bytes = 0;
		int64_t n;

		for (uint64_t k = 0; k < 200; k++)
			fire_numbered(r, 150);
		if (i % 2)
			slot->tail = spoilt[i / 2];
		else
			stream_chunk(r->state, slot->first)->next =
				(uint32_t)spoilt[i / 2];
		t->n = 0;
		while ((n = take(r, t, RING_RECORD_MAX)) > 0 && bytes < 1 << 20) {
			bytes += (uint64_t)n;
			t->n = 0;
		}
		assert_true(bytes <= slot->written);
		assert_true(n == 0 || (n == STATUS_BADFMT && drops(r) == 1));
		/* It goes on with what comes then. */
		t->n = 0;
		fire_numbered(r, 3);
		if (take(r, t, RING_RECORD_MAX) > 0)
			read_taken(r, t, 3);
		rig_free(r);
	}
	free(t);
}

/* ---- waiting for room ---- */

static unsigned nwaits; /* calls of wait() */

static void count_wait(void *ctx)
{
	(void)ctx;
	nwaits++;
}

static unsigned nwakes;

static void count_wake(void *ctx, _Atomic uint32_t *word)
{
	(void)ctx;
	(void)word;
	nwakes++;
}

static void read_all(struct rig *r)
{
	while (rig_record(r))
		;
}

#define WAIT_NS 1000

static struct rig *rig_waiting(uint64_t bufsize)
{
	struct rig *r = rig_with_policy(bufsize, STATE_WAIT);

	r->vm.env.wait = count_wait;
	r->state->config.wait_ns = WAIT_NS;
	nwaits = nwakes = 0;
	return r;
}

/* From half of the buffer on each firing that records is to wait, until a quarter. */
static void test_wait(void **state)
{
	struct rig *r = rig_waiting(280 * 10);

	(void)state;
	for (unsigned n = 1; n <= 10; n++) {
		fire_numbered(r, n);
		assert_int_equal(nwaits, n > 5 ? n - 5 : 0);
		assert_int_equal(state_wants_wait(r->state, r->vm.slot), n > 5);
	}
	assert_int_equal(drops(r), 0);
	for (unsigned left = 10; left > 0; left--) {
		*state_sleeper(r->state) = 1;
		assert_int_equal(
			state_wait_goes_on(r->state, r->vm.slot, 0, count_wake, NULL),
			left > 2);
		assert_int_equal(nwakes, min_u32(11 - left, 8));
		assert_non_null(rig_record(r));
	}
	rig_free(r);
}

/* Other policies, and firings that record nothing, wait for nothing. */
static void test_no_wait(void **state)
{
	(void)state;
	for (uint32_t policy = 0; policy < STATE_POLICY_COUNT; policy++) {
		struct rig *r = rig_waiting(280 * 10);

		r->state->config.policy = policy;
		for (unsigned n = 0; n < 8; n++)
			fire_numbered(r, n);
		assert_int_equal(nwaits, policy == STATE_WAIT ? 3 : 0);
		rig_free(r);
	}
}

/* It ends with tracing; and with its time, after which there is none for a while. */
static void test_wait_ends(void **state)
{
	static const struct {
		bool is_stopped;
		uint64_t ns;
		bool goes_on, wants_again;
	} cases[] = {
		{false, 0, true, true},
		{false, WAIT_NS - 1, true, true},
		{false, WAIT_NS, false, false},
		{true, 0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *r = rig_waiting(280 * 10);

		for (unsigned n = 0; n < 8; n++)
			fire_numbered(r, n);
		if (cases[i].is_stopped)
			state_stop(r->state);
		assert_int_equal(state_wait_goes_on(r->state, r->vm.slot, cases[i].ns,
						    count_wake, NULL),
				 cases[i].goes_on);
		assert_int_equal(state_wants_wait(r->state, r->vm.slot),
				 cases[i].wants_again);
		if (!cases[i].is_stopped) {
			read_all(r);
			for (unsigned n = 0; n < 8; n++)
				fire_numbered(r, n);
			assert_true(state_wants_wait(r->state, r->vm.slot));
		}
		rig_free(r);
	}
}

/* The reader has seen too little for a wait: the slot did not wait, whatever it says. */
static void test_may_have_waited(void **state)
{
	struct rig *r = rig_waiting(1000);
	const uint64_t bytes = r->state->ring_bytes;

	(void)state;
	assert_false(state_may_have_waited(r->state, 500, bytes / 2));
	assert_true(state_may_have_waited(r->state, 501, 0));
	assert_true(state_may_have_waited(r->state, 0, bytes / 2 + 1));
	r->state->config.policy = STATE_SWITCH;
	assert_false(state_may_have_waited(r->state, 501, bytes));
	rig_free(r);
}

/* ---- looks at a ring that goes on ---- */

static void *keep_forgetting(void *arg)
{
	for (uint64_t n = 0; n < 200000; n++)
		fire_numbered(arg, n);
	return NULL;
}

static struct ring_look look_at(const struct rig *r)
{
	return (struct ring_look){
		.state = r->state, .slot = r->vm.slot, .image = r->image};
}

/* The number of the record looked at. */
static uint64_t number_of(const struct rig *r)
{
	uint64_t number;

	memcpy(&number, (const char *)rig_body(r) + 8, 8);
	return number;
}

/* Records of one look: whole, each after the one before; one more than the last number,
 * or 0 if the owner was too fast for it. */
static uint64_t look_through(struct rig *r, uint64_t *n)
{
	struct ring_look look = look_at(r);
	uint64_t next = 0;
	int rc;

	while ((rc = ring_look(&look, r->buf.bytes, sizeof(r->buf.bytes))) == 1) {
		uint64_t number = number_of(r);

		assert_true(number >= next);
		check_numbered(r, number);
		next = number + 1;
		++*n;
	}
	assert_int_equal(rc, 0);
	return look.is_cut ? 0 : next;
}

/* The owner forgets and writes all the time; what it has in the end is all seen. */
static void test_look(void **state)
{
	static const uint64_t sizes[] = {600, 4096, 40000};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct rig *r = rig_with_policy(sizes[i], STATE_RING);
		uint64_t n = 0, last = 0, next;
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, keep_forgetting, r), 0);
		while (last < 200000) {
			next = look_through(r, &n);
			assert_true(next >= last || next == 0);
			last = max_u64(last, next);
		}
		pthread_join(thread, NULL);
		n = 0;
		assert_int_equal(look_through(r, &n), 200000);
		assert_int_equal(n, sizes[i] / 280);
		while (n-- > 0) { /* and it has taken nothing */
			assert_non_null(rig_record(r));
			check_numbered(r, 200000 - n - 1);
		}
		assert_null(rig_record(r));
		rig_free(r);
	}
}

/* What a call of snapshot() finds stays until it is served. */
static void test_awaited(void **state)
{
	struct rig *r = rig_with_policy(280 * 10, STATE_RING);
	uint64_t n = 0;

	(void)state;
	for (uint64_t k = 0; k < 100; k++)
		fire_numbered(r, k);
	layout_exchange(r->state)->snapshots++;
	for (uint64_t k = 100; k < 108; k++)
		fire_numbered(r, k);
	assert_int_equal(look_through(r, &n), 108);
	assert_int_equal(n, 18);
	state_serve_snapshots(r->state, state_snapshots(r->state));
	fire_numbered(r, 108);
	n = 0;
	assert_int_equal(look_through(r, &n), 109);
	assert_int_equal(n, 10);
	rig_free(r);
}

/* Words that the owner has spoilt: a look ends, and is within the block. */
static void test_look_at_spoilt(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spoilt) * 5; i++) {
		struct rig *r = rig_with_policy(40000, STATE_RING);
		struct slot *slot = layout_slot(r->state, r->vm.slot);
		_Atomic uint64_t *const words[] = {&slot->head, &slot->tail,
						   &slot->consumed, &slot->forgetting,
						   &slot->written};
		struct ring_look look = look_at(r);
		unsigned n = 0;

		for (uint64_t k = 0; k < 1000; k++)
			fire_numbered(r, k);
		*words[i % 5] = spoilt[i / 5];
		while (ring_look(&look, r->buf.bytes, sizeof(r->buf.bytes)) == 1)
			assert_true(n++ < 2000);
		rig_free(r);
	}
}

/* A circle of good records: no more than a ring can have. */
static void test_look_at_circle(void **state)
{
	struct rig *r = rig_with_policy(1 << 20, STATE_RING);
	struct slot *slot = layout_slot(r->state, r->vm.slot);
	struct ring_look look = look_at(r);
	uint64_t bytes = 0;

	(void)state;
	fire_numbered(r, 8);
	while (place_offset(slot->tail) < STREAM_DATA - 200)
		fire_numbered(r, 8);
	stream_chunk(r->state, slot->first)->next = slot->first;
	slot->tail = place_make(place_chunk(slot->tail) + 1, 8);
	while (ring_look(&look, r->buf.bytes, sizeof(r->buf.bytes)) == 1)
		bytes += r->buf.record.size;
	assert_true(bytes <= r->state->ring_bytes + 2 * RING_RECORD_MAX);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_forgets_oldest),
		cmocka_unit_test(test_fill_stops),
		cmocka_unit_test(test_peek_leaves_unread),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_no_buffer),
		cmocka_unit_test(test_record_too_large),
		cmocka_unit_test(test_pool_exhausted),
		cmocka_unit_test(test_torn_writer),
		cmocka_unit_test(test_spoilt),
		cmocka_unit_test(test_size_beyond_buffer),
		cmocka_unit_test(test_size_is_checked_first),
		cmocka_unit_test(test_spoilt_consumer_words),
		cmocka_unit_test(test_circular_chunks),
		cmocka_unit_test(test_endless_ring),
		cmocka_unit_test(test_concurrent_reader),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_take_while_firing),
		cmocka_unit_test(test_take_spoilt),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_no_wait),
		cmocka_unit_test(test_wait_ends),
		cmocka_unit_test(test_may_have_waited),
		cmocka_unit_test(test_look),
		cmocka_unit_test(test_awaited),
		cmocka_unit_test(test_look_at_spoilt),
		cmocka_unit_test(test_look_at_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
