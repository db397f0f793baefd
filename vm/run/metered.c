/* SPDX-License-Identifier: MIT */
/*
 * Firings that are counted and measured (vm/meter.h).
 */
#include "vm/meter.h"
#include "vm/block/layout.h"

#define PROBES	 16u /* places that are tried */
#define WARM	 8u  /* of the first firings all but one are measured */
#define EVERY	 64u
#define OUTLIER	 32u /* times the shortest */
#define LEAST_NS 50u /* that are taken for the shortest */

static uint64_t read_word(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void add_word(_Atomic uint64_t *word, uint64_t n)
{
	atomic_store_explicit(word, read_word(word) + n, memory_order_relaxed);
}

/* A new cell for the probe, whose place this is; or the one for all others. */
static ATTR_NOINLINE struct meter_cell *add_cell(struct meters *m, uint32_t nmeters,
						 uint16_t *place, uint32_t probe)
{
	uint64_t used = read_word(&m->used);
	struct meter_cell *c;

	if (used >= nmeters)
		return meters_cells(m);
	c = &meters_cells(m)[used + 1];
	atomic_store_explicit(&c->probe, probe, memory_order_relaxed);
	*place = (uint16_t)(used + 1);
	atomic_store_explicit(&m->used, used + 1, memory_order_release);
	return c;
}

static struct meter_cell *find_cell(const struct vm *vm, uint32_t probe)
{
	struct meters *m = layout_meters(vm->state, layout_slot(vm->state, vm->slot));
	uint32_t nmeters = vm->state->config.nmeters;
	struct meter_cell *cells = meters_cells(m);
	uint16_t *places = (uint16_t *)(void *)(cells + nmeters + 1);
	uint32_t at = probe * UINT32_C(0x9e3779b1) >> 8;

	for (uint32_t i = 0; i < PROBES; i++, at++) {
		uint16_t *place = &places[at & (2 * nmeters - 1)];
		uint32_t n = *place;

		if (!n)
			return add_cell(m, nmeters, place, probe);
		if (n <= nmeters && atomic_load_explicit(&cells[n].probe,
							 memory_order_relaxed) == probe)
			return &cells[n];
	}
	return cells;
}

static uint64_t clock_of(const struct vm *vm)
{
	uint64_t ns = 0;

	vm->env.builtin(vm->env.ctx, BUILTIN_timestamp, 0, &ns);
	return ns;
}

static void add_time(struct meter_cell *c, uint64_t ns)
{
	uint64_t least = read_word(&c->timed) ? read_word(&c->least) : ns;

	least = min_u64(least, ns);
	atomic_store_explicit(&c->least, least, memory_order_relaxed);
	add_word(&c->ns, min_u64(ns, OUTLIER * max_u64(least, LEAST_NS)));
	add_word(&c->timed, 1);
}

static bool run_timed(const struct vm *vm, struct meter_cell *c,
		      bool (*fire)(void *ctx), void *ctx)
{
	uint64_t first = clock_of(vm), begin = clock_of(vm), reading = begin - first;
	bool has_fired = fire(ctx);
	uint64_t took = clock_of(vm) - begin;

	if (has_fired)
		add_time(c, took - min_u64(took, reading));
	return has_fired;
}

static bool is_off(const struct vm *vm, uint32_t probe)
{
	return probe < METERS_OFF_MAX &&
	       read_word(layout_off(vm->state, probe)) >> probe % 64 & 1;
}

ATTR_NOINLINE bool meter_fire(const struct vm *vm, uint32_t probe,
			      bool (*fire)(void *ctx), void *ctx)
{
	struct meter_cell *c;
	uint64_t fired;
	bool has_fired;

	if (vm->slot >= vm->state->config.nslots || is_off(vm, probe))
		return false;
	c = find_cell(vm, probe);
	fired = read_word(&c->fired);
	if (fired % EVERY == 0 ? fired > 0 : fired < WARM)
		has_fired = run_timed(vm, c, fire, ctx);
	else
		has_fired = fire(ctx);
	if (has_fired)
		add_word(&c->fired, 1);
	return has_fired;
}
