/* SPDX-License-Identifier: MIT */
/*
 * Integers of a thread: their elements stay until it ends. What they count against
 * dynvarsize, how many there may be, and that no cell is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"
#include "vm/run/dynvar.h"
#include "vm/run/own_cell.h"

#define DONE	I(END, 0, 0, 0, 0)
#define NVARS	(OWN_CELLS + 4u) /* some share what a slot remembers */
#define THREADS (OWN_ELEMENTS_MAX + 100u)

static struct rig *rig_self(uint64_t dynvarsize)
{
	struct builder *b = builder_new();
	const insn_t code[] = {DONE};
	struct state_config c;
	size_t size;
	void *image;

	for (uint32_t i = 0; i < NVARS; i++)
		build_var(b, SCOPE_SELF, field_int(8, true), 0);
	build_clause(b, code, ARRAY_LEN(code));
	image = build_image(b, &size);
	c = rig_config(image);
	c.dynvarsize = dynvarsize;
	return rig_with(image, size, &c);
}

static void set(const struct vm *vm, uint32_t var, uint64_t value)
{
	dynvar_store_integer(vm, var, (struct dynvar_key){"", 0}, value);
}

static uint64_t get(const struct vm *vm, uint32_t var)
{
	return dynvar_load_integer(vm, var, (struct dynvar_key){"", 0});
}

static uint64_t nominal_of(const struct rig *r)
{
	return program_var(r->image, 0)->nominal;
}

/* Counted against dynvarsize, without what slots keep for their next elements. */
static uint64_t counted(const struct rig *r)
{
	uint64_t n = layout_variables(r->state)->nominal;

	for (uint32_t i = 0; i < r->state->config.nslots; i++)
		n -= layout_slot(r->state, i)->spare_nominal;
	return n;
}

static uint32_t owned(const struct rig *r)
{
	return layout_variables(r->state)->owned;
}

/* Cells that are on no free list. */
static uint32_t cells_in_use(const struct rig *r)
{
	const struct freelist *l = &layout_variables(r->state)->cells;
	uint32_t used = l->fresh, link = (uint32_t)l->top;

	for (; link; link = cell_at(r->state, link)->more)
		used--;
	return used;
}

static uint64_t drops(const struct vm *vm)
{
	return state_drops(vm->state, vm->slot)->dynvars;
}

static void end_thread(struct rig *r, const struct vm *vm)
{
	state_forget_thread(r->state, r->image, vm->slot, vm->thread);
}

static void test_values(void **state)
{
	struct rig *r = rig_self(64 << 10);
	const struct vm a = rig_vm(r, 2, 100), b = rig_vm(r, 3, 101);

	(void)state;
	for (uint64_t round = 1; round < 4; round++) {
		for (uint32_t v = 0; v < NVARS; v++) {
			set(&a, v, round * 1000 + v);
			set(&b, NVARS - 1 - v, round * 2000 + v);
		}
		for (uint32_t v = 0; v < NVARS; v++) {
			assert_int_equal(get(&a, v), round * 1000 + v);
			assert_int_equal(get(&b, NVARS - 1 - v), round * 2000 + v);
			set(&a, v, round == 2 ? v : 0);
			assert_int_equal(get(&a, v), round == 2 ? v : 0);
		}
	}
	assert_int_equal(drops(&a) + drops(&b), 0);
	rig_free(r);
}

/* One that is 0 keeps its cell and gives its room back. */
static void test_counted(void **state)
{
	static const uint64_t sizes[] = {64 << 10,
					 64 << 20}; /* the second: with spare */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct rig *r = rig_self(sizes[i]);
		const struct vm vm = rig_vm(r, 2, 100);
		uint64_t n = nominal_of(r);

		assert_int_equal(get(&vm, 0), 0);
		set(&vm, 0, 0);
		assert_int_equal(cells_in_use(r), 0);
		for (uint64_t value = 1; value < 4; value++) {
			set(&vm, 0, value);
			set(&vm, 1, value);
			set(&vm, 1, value + 1);
			assert_int_equal(counted(r), 2 * n);
			set(&vm, 0, 0);
			set(&vm, 0, 0);
			assert_int_equal(counted(r), n);
			assert_int_equal(cells_in_use(r), 2);
			assert_int_equal(owned(r), 2);
		}
		end_thread(r, &vm);
		assert_int_equal(counted(r), 0);
		assert_int_equal(cells_in_use(r), 0);
		assert_int_equal(owned(r), 0);
		rig_free(r);
	}
}

static void test_no_room(void **state)
{
	struct rig *probe = rig_self(4096), *r = rig_self(2 * nominal_of(probe));
	const struct vm a = rig_vm(r, 2, 100), b = rig_vm(r, 3, 101);
	uint64_t n = nominal_of(r);

	(void)state;
	rig_free(probe);
	set(&a, 0, 5);
	set(&a, 1, 6);
	set(&b, 0, 7); /* no room */
	assert_int_equal(drops(&b), 1);
	assert_int_equal(get(&b, 0), 0);
	set(&a, 0, 0);
	set(&b, 0, 8);
	assert_int_equal(get(&b, 0), 8);
	set(&a, 0, 9); /* its cell is there, but no room */
	assert_int_equal(drops(&a), 1);
	assert_int_equal(get(&a, 0), 0);
	set(&a, 1, 10); /* it has its room */
	assert_int_equal(get(&a, 1), 10);
	assert_int_equal(counted(r), 2 * n);
	set(&b, 0, 0);
	set(&a, 0, 11);
	assert_int_equal(get(&a, 0), 11);
	assert_int_equal(drops(&a) + drops(&b), 2);
	rig_free(r);
}

/* Past the limit an element is like any other: 0 frees it. */
static void test_limit(void **state)
{
	struct rig *r = rig_self(1 << 20);
	uint64_t n = nominal_of(r);

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct vm vm = rig_vm(r, 2, 100 + i);

		set(&vm, 3, 5 + i);
		assert_int_equal(get(&vm, 3), 5 + i);
		assert_int_equal(owned(r), min_u32(i + 1, OWN_ELEMENTS_MAX));
		assert_int_equal(counted(r), (i + 1) * n);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct vm vm = rig_vm(r, 2, 100 + i);

		assert_int_equal(get(&vm, 3), 5 + i);
		set(&vm, 3, 0);
		assert_int_equal(get(&vm, 3), 0);
		assert_int_equal(counted(r), (THREADS - 1 - i) * n);
	}
	assert_int_equal(cells_in_use(r), OWN_ELEMENTS_MAX);
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct vm vm = rig_vm(r, 3, 100 + i);

		set(&vm, 3, i % 3);
		set(&vm, 3, i % 2);
		end_thread(r, &vm);
	}
	assert_int_equal(owned(r), 0);
	assert_int_equal(counted(r), 0);
	assert_int_equal(cells_in_use(r), 0);
	assert_int_equal(state_drops(r->state, 2)->dynvars, 0);
	rig_free(r);
}

/* The next thread of the slot has nothing of the last one's; nor when the cell is used. */
static void test_next_thread(void **state)
{
	struct rig *r = rig_self(64 << 10);
	struct vm vm = rig_vm(r, 2, 100);

	(void)state;
	for (uint32_t i = 0; i < 50; i++) {
		const struct vm other = rig_vm(r, 3, 1000 + i);

		for (uint32_t v = 0; v < NVARS; v++)
			assert_int_equal(get(&vm, v), 0);
		set(&vm, i % NVARS, 7);
		end_thread(r, &vm);
		set(&other, (i + 1) % NVARS, 9); /* in the cell that is free now */
		vm.thread++;
		assert_int_equal(get(&vm, i % NVARS), 0);
		assert_int_equal(get(&vm, (i + 1) % NVARS), 0);
		assert_int_equal(get(&other, (i + 1) % NVARS), 9);
		end_thread(r, &other);
	}
	assert_int_equal(cells_in_use(r), 0);
	rig_free(r);
}

/* The keeper fires for the thread too, in its own slot. */
static void test_two_slots(void **state)
{
	struct rig *r = rig_self(64 << 10);
	const struct vm keeper = rig_vm(r, STATE_SLOT_KEEPER, 100);
	const struct vm thread = rig_vm(r, 2, 100), level = rig_vm(r, 3, 100);
	const struct vm *in[] = {&keeper, &thread, &level};

	(void)state;
	for (uint32_t i = 1; i < 60; i++) {
		set(in[i % 3], 5, i % 7);
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(get(in[k], 5), i % 7);
	}
	assert_int_equal(cells_in_use(r), 1);
	assert_int_equal(counted(r), (59 % 7 != 0) * nominal_of(r));
	end_thread(r, &keeper);
	for (uint32_t k = 0; k < 3; k++)
		assert_int_equal(get(in[k], 5), 0);
	assert_int_equal(cells_in_use(r), 0);
	assert_int_equal(counted(r), 0);
	rig_free(r);
}

/* A target writes what it likes into its slot and the cells: nothing leaves the block. */
static void test_spoilt(void **state)
{
	struct rig *r = rig_self(64 << 10);
	const struct vm vm = rig_vm(r, 2, 100), keeper = rig_vm(r, 1, 100);
	uint32_t *remembered = layout_slot(r->state, 2)->own_cells;
	uint32_t chance = 1;

	(void)state;
	for (uint32_t v = 0; v < NVARS; v++)
		set(&vm, v, v + 1);
	for (uint32_t i = 0; i < 20000; i++) {
		static const uint32_t words[] = {0, 1, 2, 7, UINT32_MAX, CELL_OWN};
		uint32_t *cells = layout_at(r->state, r->state->cells_at);

		chance = chance * 1664525 + 1013904223;
		remembered[chance >> 8 & (OWN_CELLS - 1)] =
			i % 3 ? chance >> 4 : chance >> 28;
		cells[chance >> 12 & 1023] = words[chance >> 24 & 3] + i % 50;
		set(i % 2 ? &vm : &keeper, chance >> 16 & 15, i % 4);
		get(i % 3 ? &vm : &keeper, chance >> 20 & 15);
	}
	end_thread(r, &vm);
	rig_free(r);
}

/* ---- claims that others have for long ---- */

#define HOLDER 3u /* a slot */

static struct state *held;

static void hold_all(void)
{
	for (uint64_t i = 0; i < CLAIM_WORDS; i++)
		claim_take(held, i, HOLDER);
}

static void give_all(int signal)
{
	(void)signal;
	for (uint64_t i = 0; i < CLAIM_WORDS; i++)
		claim_give(held, i, HOLDER);
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* How long a slot tries to have a claim: ns, at best. */
static long patience(void)
{
	long least = LONG_MAX;

	hold_all();
	for (int i = 0; i < 20; i++) {
		long began = now();

		assert_false(claim_take(held, 0, 2));
		if (now() - began < least)
			least = now() - began;
	}
	give_all(0);
	return least;
}

/* All claims are another slot's until so many ns from now. */
static void hold_until(timer_t timer, long ns)
{
	const struct itimerspec when = {.it_value = {0, ns}};

	hold_all();
	assert_int_equal(timer_settime(timer, 0, &when, NULL), 0);
}

/* A store that is late for its claim is a drop, and leaves the element what it is. */
static void test_claims(void **state)
{
	struct rig *r = rig_self(64 << 10);
	const struct vm vm = rig_vm(r, 2, 100);
	struct sigevent by_signal = {.sigev_notify = SIGEV_SIGNAL,
				     .sigev_signo = SIGUSR1};
	uint64_t value[2] = {1, 1}, n;
	timer_t timer;
	long ns;

	(void)state;
	held = r->state;
	set(&vm, 0, 1);
	set(&vm, OWN_CELLS, 1);
	ns = patience();
	signal(SIGUSR1, give_all);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &by_signal, &timer), 0);
	for (uint64_t i = 0; i < 200; i++) {
		uint64_t which = i & 1, before = drops(&vm), wanted = i & 2 ? i : 0;

		/* the slot forgets the one that is stored to */
		assert_int_equal(get(&vm, which ? 0 : OWN_CELLS), value[!which]);
		hold_until(timer, ns / 4 * (1 + (long)(i % 9)));
		set(&vm, which ? OWN_CELLS : 0, wanted);
		value[which] = drops(&vm) == before ? wanted : value[which];
		while (layout_variables(held)->claims[0])
			sched_yield();
		assert_int_equal(owned(r), 2);
		assert_int_equal(cells_in_use(r), 2);
		n = value[0] ? 1 : 0;
		n += value[1] ? 1 : 0;
		assert_int_equal(counted(r), n * nominal_of(r));
	}
	timer_delete(timer);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	    cmocka_unit_test(test_counted),
		cmocka_unit_test(test_no_room),	    cmocka_unit_test(test_limit),
		cmocka_unit_test(test_next_thread), cmocka_unit_test(test_two_slots),
		cmocka_unit_test(test_spoilt),	    cmocka_unit_test(test_claims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
