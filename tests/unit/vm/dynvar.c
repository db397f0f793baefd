/* SPDX-License-Identifier: MIT */
/* Dynamic variables and globals: values, limits, many threads, dead claimants. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <pthread.h>
#include <unistd.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"

#define TRACE_STRING(reg, action)                                                      \
	I(TUP, 0, 0, 0, 0), I(TPS, reg, 0, 0, 0), I(REC, 0, 0, 0, action)
#define TRACE_INT(reg, action)                                                         \
	I(TUP, 0, 0, 0, 0), I(TPI, reg, 0, 8, 0), I(REC, 0, 0, 0, action)
#define DONE I(END, 0, 0, 0, 0)

/* Actions 0 and 1 trace a number and a string; text is arg3's, from the target. */
static struct builder *builder_tracing(uint32_t strsize)
{
	struct builder *b = builder_new();

	b->strsize = strsize;
	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	build_field(b, field_string(strsize));
	build_action(b, ACTION_trace, 1);
	return b;
}

static struct rig *rig_of(struct builder *b, uint64_t dynvarsize)
{
	struct verify_error e = {0, ""};
	struct state_config c;
	struct rig *r;
	size_t size;
	void *image = build_image(b, &size);

	if (program_verify(image, size, &e))
		fail_msg("instruction %u: %s", e.insn, e.text);
	c = rig_config(image);
	c.dynvarsize = dynvarsize;
	r = rig_with(image, size, &c);
	r->probe.nenablings = 1;
	return r;
}

static void fire_clause(struct rig *r, uint32_t clause)
{
	r->probe.first_enabling = clause;
	rig_fire(r);
}

/* What clause traces: a number, or a string's bytes in text. */
static uint64_t fire_number(struct rig *r, uint32_t clause)
{
	const struct record *record;
	uint64_t v;

	fire_clause(r, clause);
	record = rig_record(r);
	assert_non_null(record);
	assert_int_equal(record->kind, RECORD_DATA);
	memcpy(&v, (const char *)rig_body(r) + 8, 8);
	return v;
}

static const char *fire_text(struct rig *r, uint32_t clause)
{
	static char text[4096];
	const char *body;
	uint32_t len;

	fire_clause(r, clause);
	assert_non_null(rig_record(r));
	assert_int_equal(r->buf.record.kind, RECORD_DATA);
	body = rig_body(r);
	memcpy(&len, body + 8, 4);
	assert_true(len < sizeof(text));
	memcpy(text, body + 12, len);
	text[len] = '\0';
	return text;
}

static uint64_t drops(struct rig *r)
{
	return state_drops(r->state, r->vm.slot)->dynvars;
}

/* a[arg0] = arg1; trace(a[arg0]) */
static struct rig *rig_array(enum program_scope scope, uint64_t dynvarsize)
{
	struct builder *b = builder_tracing(256);
	const insn_t store[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0), I(BI, 1, 0, 0, BUILTIN_arg1),
		I(TUP, 0, 0, 0, 0),	      I(TPI, 0, 0, 8, 0),
		I(STD, 1, 0, 0, 0),	      DONE,
	};
	const insn_t load[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0), I(TUP, 0, 0, 0, 0), I(TPI, 0, 0, 8, 0),
		I(LDD, 2, 0, 0, 0),	      TRACE_INT(2, 0),	  DONE,
	};

	build_field(b, field_int(8, false));
	build_var(b, scope, field_int(8, false), 1);
	build_clause(b, store, ARRAY_LEN(store));
	build_clause(b, load, ARRAY_LEN(load));
	return rig_of(b, dynvarsize);
}

static void set(struct rig *r, uint64_t key, uint64_t value)
{
	r->world.args[0] = key;
	r->world.args[1] = value;
	fire_clause(r, 0);
}

static uint64_t get(struct rig *r, uint64_t key)
{
	r->world.args[0] = key;
	return fire_number(r, 1);
}

static void test_array(void **state)
{
	struct rig *r = rig_array(SCOPE_ARRAY, 65536);

	(void)state;
	assert_int_equal(get(r, 1), 0);
	for (uint64_t k = 0; k < 300; k++)
		set(r, k, k + 1000);
	for (uint64_t k = 0; k < 300; k++)
		assert_int_equal(get(r, k), k + 1000);
	set(r, 5, 7);
	assert_int_equal(get(r, 5), 7);
	set(r, 5, 0);
	assert_int_equal(get(r, 5), 0);
	set(r, 5, 0);
	r->vm.thread = 1234; /* the same for every thread */
	assert_int_equal(get(r, 6), 1006);
	assert_int_equal(drops(r), 0);
	rig_free(r);
}

static void test_self(void **state)
{
	struct rig *r = rig_array(SCOPE_SELF_ARRAY, 65536);

	(void)state;
	for (uint64_t t = 1; t < 20; t++) {
		r->vm.thread = t;
		set(r, 1, t * 10);
	}
	for (uint64_t t = 1; t < 20; t++) {
		r->vm.thread = t;
		assert_int_equal(get(r, 1), t * 10);
	}
	state_forget_thread(r->state, r->image, STATE_SLOT_FRONT, 7);
	for (uint64_t t = 1; t < 20; t++) {
		r->vm.thread = t;
		assert_int_equal(get(r, 1), t == 7 ? 0 : t * 10);
	}
	rig_free(r);
}

/* dynvarsize is the limit, of 8 bytes, the key and the value of each; what is freed serves again. */
static void test_full(void **state)
{
	struct rig *r = rig_array(SCOPE_ARRAY, 100 * (8 + 8 + 8));

	(void)state;
	for (int round = 0; round < 20; round++) {
		uint64_t before = drops(r);

		for (uint64_t k = 0; k < 150; k++)
			set(r, k, k + 1);
		assert_int_equal(drops(r) - before, 50);
		for (uint64_t k = 0; k < 150; k++) {
			assert_int_equal(get(r, k), k < 100 ? k + 1 : 0);
			set(r, k, 0);
		}
	}
	rig_free(r);
}

static void test_no_room_at_all(void **state)
{
	struct rig *r = rig_array(SCOPE_ARRAY, 0);

	(void)state;
	set(r, 1, 1);
	assert_int_equal(drops(r), 1);
	assert_int_equal(get(r, 1), 0);
	state_forget_thread(r->state, r->image, 0, 77);
	rig_free(r);
}

enum string_kind { STRING_GLOBAL, STRING_SELF };

/* Clause 0: v = copyinstr(arg3); 1: trace(v); 2: v = NULL; 3: trace(v == 0); 4: v = "" */
static struct rig *rig_string(enum string_kind kind, uint32_t strsize, uint32_t size)
{
	struct builder *b = builder_tracing(strsize);
	enum isa_op load = kind == STRING_GLOBAL ? OP_LDG : OP_LDD;
	enum isa_op store = kind == STRING_GLOBAL ? OP_STG : OP_STD;
	insn_t tuple = kind == STRING_GLOBAL ? I(MOV, 0, 0, 0, 0) : I(TUP, 0, 0, 0, 0);
	const insn_t begin = I(LI, 0, 0, 0, 0);
	const insn_t set_text[] = {
		begin, I(BI, 1, 0, 0, BUILTIN_arg3),  I(CALL, 2, 1, 1, SUBR_copyinstr),
		tuple, isa_encode(store, 2, 0, 0, 0), DONE};
	const insn_t trace[] = {begin, tuple, isa_encode(load, 3, 0, 0, 0),
				TRACE_STRING(3, 1), DONE};
	const insn_t set_null[] = {begin, tuple, isa_encode(store, 0, 0, 0, 0), DONE};
	const insn_t is_null[] = {begin,
				  tuple,
				  isa_encode(load, 3, 0, 0, 0),
				  I(LNOT, 3, 3, 0, 0),
				  TRACE_INT(3, 0),
				  DONE};
	const insn_t set_empty[] = {begin, I(LS, 2, 0, 0, 0), tuple,
				    isa_encode(store, 2, 0, 0, 0), DONE};

	build_var(b, kind == STRING_GLOBAL ? SCOPE_GLOBAL : SCOPE_SELF,
		  field_string(size), 0);
	build_clause(b, set_text, ARRAY_LEN(set_text));
	build_clause(b, trace, ARRAY_LEN(trace));
	build_clause(b, set_null, ARRAY_LEN(set_null));
	build_clause(b, is_null, ARRAY_LEN(is_null));
	build_clause(b, set_empty, ARRAY_LEN(set_empty));
	return rig_of(b, 65536);
}

static void test_strings(void **state)
{
	static const uint32_t lengths[] = {0,  1,  7,  8,  30, 31,  32,	 33,  55,
					   87, 88, 89, 90, 5,  144, 145, 200, 3};

	(void)state;
	for (int kind = STRING_GLOBAL; kind <= STRING_SELF; kind++) {
		struct rig *r = rig_string((enum string_kind)kind, 256, 256);

		r->world.args[3] = WORLD_BASE;
		/* Never assigned: a global is empty, others are NULL. */
		assert_int_equal(fire_number(r, 3), kind != STRING_GLOBAL);
		if (kind == STRING_GLOBAL)
			assert_string_equal(fire_text(r, 1), "");
		for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
			memset(r->world.memory, 'a' + (int)i, lengths[i]);
			r->world.memory[lengths[i]] = '\0';
			fire_clause(r, 0);
			assert_string_equal(fire_text(r, 1), r->world.memory);
			assert_int_equal(fire_number(r, 3), 0);
		}
		fire_clause(r, 4); /* "" is a value, unlike NULL */
		assert_string_equal(fire_text(r, 1), "");
		assert_int_equal(fire_number(r, 3), 0);
		fire_clause(r, 2);
		assert_int_equal(fire_number(r, 3), 1);
		assert_int_equal(drops(r), 0);
		rig_free(r);
	}
}

/* A store keeps the first bytes that the variable has room for. */
static void test_strings_are_cut(void **state)
{
	(void)state;
	for (int kind = STRING_GLOBAL; kind <= STRING_SELF; kind++) {
		struct rig *r = rig_string((enum string_kind)kind, 64, 10);

		r->world.args[3] = WORLD_BASE;
		strcpy(r->world.memory, "0123456789abcdef");
		fire_clause(r, 0);
		assert_string_equal(fire_text(r, 1), "0123456789");
		rig_free(r);
	}
}

/* The 12 bytes at arg3 into a struct variable and back, as a number of them. */
static void test_structs(void **state)
{
	(void)state;
	for (int is_global = 0; is_global < 2; is_global++) {
		struct builder *b = builder_tracing(256);
		insn_t tuple = is_global ? I(MOV, 0, 0, 0, 0) : I(TUP, 0, 0, 0, 0);
		const insn_t store[] = {
			I(BI, 0, 0, 0, BUILTIN_arg3),
			I(LI, 1, 0, 0, 12),
			I(CALL, 2, 0, 2, SUBR_copyin),
			tuple,
			is_global ? I(STG, 2, 0, 0, 0) : I(STD, 2, 0, 0, 0),
			DONE,
		};
		const insn_t load[] = {
			I(LI, 0, 0, 0, 0),
			tuple,
			is_global ? I(LDG, 3, 0, 0, 0) : I(LDD, 3, 0, 0, 0),
			I(LD, 4, 3, 4, 8),
			TRACE_INT(4, 0),
			DONE,
		};
		struct rig *r;

		build_var(b, is_global ? SCOPE_GLOBAL : SCOPE_SELF, field_bytes(12), 0);
		build_clause(b, store, ARRAY_LEN(store));
		build_clause(b, load, ARRAY_LEN(load));
		r = rig_of(b, 65536);
		r->world.args[3] = WORLD_BASE;
		memcpy(r->world.memory, "........\x01\x02\x03\x04", 12);
		assert_int_equal(fire_number(r, 1), 0); /* unset reads as zeros */
		fire_clause(r, 0);
		assert_int_equal(fire_number(r, 1), 0x04030201);
		rig_free(r);
	}
}

/* String keys of all lengths, with the same and with other content. */
static void test_string_keys(void **state)
{
	struct builder *b = builder_tracing(256);
	const insn_t store[] = {
		I(BI, 0, 0, 0, BUILTIN_arg3), I(CALL, 1, 0, 1, SUBR_copyinstr),
		I(BI, 2, 0, 0, BUILTIN_arg0), I(TUP, 0, 0, 0, 0),
		I(TPS, 1, 0, 0, 0),	      I(TPI, 2, 0, 2, 0),
		I(STD, 2, 0, 0, 0),	      DONE,
	};
	const insn_t load[] = {
		I(BI, 0, 0, 0, BUILTIN_arg3),
		I(CALL, 1, 0, 1, SUBR_copyinstr),
		I(BI, 2, 0, 0, BUILTIN_arg0),
		I(TUP, 0, 0, 0, 0),
		I(TPS, 1, 0, 0, 0),
		I(TPI, 2, 0, 2, 0),
		I(LDD, 3, 0, 0, 0),
		TRACE_INT(3, 0),
		DONE,
	};
	struct rig *r;

	(void)state;
	build_field(b, field_string(256));
	build_field(b, field_int(2, false));
	build_var(b, SCOPE_ARRAY, field_int(8, true), 2);
	build_clause(b, store, ARRAY_LEN(store));
	build_clause(b, load, ARRAY_LEN(load));
	r = rig_of(b, 200 << 10);
	memset(r->world.memory, 'k', 250);
	for (uint64_t len = 0; len < 250; len++) {
		r->world.args[3] = WORLD_BASE + 250 - len;
		r->world.args[0] = 1 + len;
		fire_clause(r, 0);
	}
	for (uint64_t len = 0; len < 250; len++) {
		r->world.args[3] = WORLD_BASE + 250 - len;
		r->world.args[0] = 1 + len;
		assert_int_equal(fire_number(r, 1), 1 + len);
		r->world.args[0] = 2 + len;
		assert_int_equal(fire_number(r, 1), 0);
	}
	assert_int_equal(drops(r), 0);
	rig_free(r);
}

/* A claim that no one gives back: bounded, counted, freed by the keeper. */
static void test_dead_claim(void **state)
{
	struct rig *r = rig_array(SCOPE_ARRAY, 65536);
	struct variables *shared = layout_variables(r->state);
	enum { DEAD = STATE_SLOT_FIRST_THREAD };

	(void)state;
	set(r, 1, 11);
	for (uint32_t i = 0; i < CLAIM_WORDS; i++)
		shared->claims[i] = DEAD + 1;
	set(r, 1, 12);
	assert_int_equal(drops(r), 1);
	assert_int_equal(get(r, 1), 0);
	assert_int_equal(drops(r), 2);
	state_forget_thread(r->state, r->image, r->vm.slot,
			    5); /* does not hang either */
	state_release_claims(r->state, DEAD + 1);
	assert_int_equal(shared->claims[0], DEAD + 1);
	state_release_claims(r->state, DEAD);
	assert_int_equal(shared->claims[0], 0);
	assert_int_equal(get(r, 1), 11);
	set(r, 1, 13);
	assert_int_equal(get(r, 1), 13);
	rig_free(r);
}

static void test_dead_claim_on_global(void **state)
{
	struct rig *r = rig_string(STRING_GLOBAL, 256, 256);
	struct variables *shared = layout_variables(r->state);

	(void)state;
	r->world.args[3] = WORLD_BASE;
	strcpy(r->world.memory, "before");
	fire_clause(r, 0);
	for (uint32_t i = 0; i < CLAIM_WORDS; i++)
		shared->claims[i] = 3;
	strcpy(r->world.memory, "after");
	fire_clause(r, 0);
	assert_string_equal(fire_text(r, 1), "");
	assert_int_equal(drops(r), 2);
	state_release_claims(r->state, 2);
	assert_string_equal(fire_text(r, 1), "before");
	rig_free(r);
}

/* Chains and elements that are circles: the work for a dead thread is bounded. */
static void test_circular_cells(void **state)
{
	struct rig *r = rig_string(STRING_SELF, 256, 256);
	struct state *s = r->state;
	uint32_t *cells = layout_at(s, s->cells_at);
	uint32_t *buckets = layout_at(s, s->buckets_at);

	(void)state;
	r->world.args[3] = WORLD_BASE;
	strcpy(r->world.memory, "x");
	fire_clause(r, 0); /* some cell was in use */
	for (int which = 0; which < 3; which++) {
		for (uint32_t i = 0; i < s->ncells; i++) {
			uint32_t *cell = cells + i * (CELL_BYTES / 4);
			uint32_t other = i ^ 1;

			memset(cell, 0, CELL_BYTES);
			cell[0] = which != 1 ? other + 1 : 0;		    /* more */
			cell[1] = which != 0 ? other + 1 : 0;		    /* next */
			cell[2] = which == 2 ? (uint32_t)r->vm.thread : 99; /* thread */
			cell[6] = cell[7] = UINT32_MAX / 4;		    /* sizes */
		}
		for (uint32_t i = 0; i < s->nbuckets; i++)
			buckets[i] = i % s->ncells + 1;
		alarm(60);
		state_forget_thread(s, r->image, r->vm.slot, r->vm.thread);
		fire_clause(r, 1);
		fire_clause(r, 0);
		alarm(0);
		if (which)
			assert_true(drops(r) > 0);
	}
	rig_free(r);
}

/* All claims are held by others: a thread's end waits for a few of them only. */
static void test_all_claimed(void **state)
{
	struct rig *r = rig_array(SCOPE_SELF_ARRAY, 1 << 20);
	struct variables *shared = layout_variables(r->state);
	uint64_t before;

	(void)state;
	for (uint64_t k = 0; k < 500; k++)
		set(r, k, 1);
	for (uint32_t i = 0; i < CLAIM_WORDS; i++)
		shared->claims[i] = 77;
	before = drops(r);
	state_forget_thread(r->state, r->image, r->vm.slot, 5);
	assert_true(drops(r) - before <= 18);
	rig_free(r);
}

/* Every word of the cells, and the free list, spoilt; bounded and harmless. */
static void test_spoilt_cells(void **state)
{
	static const uint32_t values[] = {0, 1, 2, 33, 0x10000, INT32_MAX, UINT32_MAX};
	struct rig *r = rig_string(STRING_SELF, 256, 256);
	uint32_t *cells = layout_at(r->state, r->state->cells_at);
	struct variables *shared = layout_variables(r->state);

	(void)state;
	r->world.args[3] = WORLD_BASE;
	for (uint32_t at = 0; at < 10 * CELL_BYTES / 4; at++) {
		for (size_t v = 0; v < ARRAY_LEN(values); v++) {
			memset(r->world.memory, 'x', 130);
			r->world.memory[130] = '\0';
			fire_clause(r, 0);
			cells[at] = values[v];
			fire_clause(r, 1);
			r->world.memory[200] = '\0';
			fire_clause(r, 0);
			fire_clause(r, 2);
			state_forget_thread(r->state, r->image, 0, r->vm.thread);
			shared->cells.top = values[v];
			fire_clause(r, 0);
			while (rig_record(r))
				;
		}
	}
	rig_free(r);
}

enum { HAMMERS = 4, HAMMER_ROUNDS = 3000, HAMMER_KEYS = 16 };

struct hammer {
	struct rig rig; /* its own firing, the shared state */
	uint64_t torn;
};

/* Stores and loads strings of one letter under shared keys; frees some. */
static void *run_hammer(void *arg)
{
	struct hammer *h = arg;
	struct rig *r = &h->rig;

	for (unsigned i = 0; i < HAMMER_ROUNDS; i++) {
		size_t len = 1 + (i * 7u) % 180;
		const char *text;

		memset(r->world.memory, 'a' + (int)r->vm.slot, len);
		r->world.memory[len] = '\0';
		r->world.args[0] = i % HAMMER_KEYS;
		vm_fire(&r->vm, &r->probe, VM_FIRE_NORMAL);
		while (rig_record(r)) {
			text = (const char *)rig_body(r) + 12;
			memcpy(&len, (const char *)rig_body(r) + 8, 4);
			for (uint32_t k = 1; k < (uint32_t)len; k++)
				h->torn += text[k] != text[0];
		}
	}
	return NULL;
}

/* Clause: a[arg0] = copyinstr(arg3); trace(a[arg0]); if arg0 is 3, a[3] = 0. */
static struct rig *rig_hammered(void)
{
	struct builder *b = builder_tracing(256);
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0),
		I(BI, 1, 0, 0, BUILTIN_arg3),
		I(CALL, 2, 1, 1, SUBR_copyinstr),
		I(TUP, 0, 0, 0, 0),
		I(TPI, 0, 0, 8, 0),
		I(STD, 2, 0, 1, 0),
		I(LDD, 3, 0, 1, 0),
		I(LI, 4, 0, 0, 3),
		I(SEQ, 5, 0, 4, 0),
		I(LI, 6, 0, 0, 0),
		I(JZ, 5, 0, 0, 1),
		I(STD, 6, 0, 1, 0),
		I(STD, 6, 0, 0, 0),
		TRACE_STRING(3, 1),
		DONE,
	};

	build_field(b, field_int(8, false));
	build_var(b, SCOPE_ARRAY, field_string(256), 1);
	build_clause(b, code, ARRAY_LEN(code));
	return rig_of(b, 64 << 10);
}

/* Nothing leaked: every cell that was ever used is on the free list. */
static void assert_all_cells_free(struct rig *r)
{
	struct freelist_items items = layout_cells(r->state);
	struct freelist *cells = &layout_variables(r->state)->cells;
	uint32_t used = cells->fresh;

	assert_true(used > 0);
	for (uint32_t i = 0; i < used; i++)
		assert_true(freelist_take(cells, &items) < used);
}

static void test_many_threads(void **state)
{
	struct rig *r = rig_hammered();
	struct hammer *h = calloc(HAMMERS, sizeof(*h));
	pthread_t threads[HAMMERS];

	(void)state;
	for (uint32_t i = 0; i < HAMMERS; i++) {
		h[i].rig = *r;
		h[i].rig.vm = rig_vm(&h[i].rig, i, i + 1);
		h[i].rig.world.args[3] = WORLD_BASE;
		assert_int_equal(pthread_create(&threads[i], NULL, run_hammer, &h[i]),
				 0);
	}
	for (uint32_t i = 0; i < HAMMERS; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < HAMMERS; i++)
		assert_int_equal(h[i].torn, 0);
	r->world.args[3] = WORLD_BASE;
	for (uint64_t k = 0; k < HAMMER_KEYS; k++) { /* what a drop left is freed */
		r->world.args[0] = k;
		rig_fire(r);
	}
	assert_all_cells_free(r);
	free(h);
	rig_free(r);
}

/* Stores under its own keys, in chains that others change; and loads that. */
static void *run_owner(void *arg)
{
	struct hammer *h = arg;
	struct rig *r = &h->rig;

	for (uint64_t i = 0; i < HAMMER_ROUNDS; i++) {
		uint64_t value = i % 5 ? i : 0, before = drops(r);

		set(r, i % HAMMER_KEYS, value);
		if (get(r, i % HAMMER_KEYS) != value && drops(r) == before)
			h->torn++;
	}
	return NULL;
}

/* A thread's own variables are what it stored, whatever others do beside them. */
static void test_own_variables(void **state)
{
	struct rig *r = rig_array(SCOPE_SELF_ARRAY, 4096);
	struct hammer *h = calloc(HAMMERS, sizeof(*h));
	pthread_t threads[HAMMERS];

	(void)state;
	for (uint32_t i = 0; i < HAMMERS; i++) {
		h[i].rig = *r;
		h[i].rig.vm = rig_vm(&h[i].rig, i, i + 1);
		assert_int_equal(pthread_create(&threads[i], NULL, run_owner, &h[i]),
				 0);
	}
	for (uint32_t i = 0; i < HAMMERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(h[i].torn, 0);
	}
	free(h);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_no_room_at_all),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_strings_are_cut),
		cmocka_unit_test(test_structs),
		cmocka_unit_test(test_string_keys),
		cmocka_unit_test(test_dead_claim),
		cmocka_unit_test(test_dead_claim_on_global),
		cmocka_unit_test(test_spoilt_cells),
		cmocka_unit_test(test_circular_cells),
		cmocka_unit_test(test_all_claimed),
		cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_own_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
