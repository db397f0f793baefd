/* SPDX-License-Identifier: MIT */
/*
 * What routines call (vm/native.h): the parts of a firing that are more than a few
 * instructions. They do for integers what the interpreter does.
 */
#include "vm/native.h"
#include "vm/agg/shard.h"
#include "vm/base/bytes.h"
#include "vm/base/str.h"
#include "vm/block/stream.h"
#include "vm/run/dynvar.h"
#include "vm/run/firing.h"
#include "vm/run/inline_cache.h"
#include "vm/run/own_cell.h"
#include "vm/tuple.h"

_Static_assert(NATIVE_REGS == ISA_REGS, "a word for each register");
_Static_assert(NATIVE_OWN == OWN_CELLS, "one for each that a slot remembers");

static uint64_t ask(const struct vm *vm, uint32_t id)
{
	uint64_t value = 0;

	if (id == BUILTIN_cpu)
		return vm->env.cpu ? vm->env.cpu(vm->env.ctx) : vm->cpu;
	vm->env.builtin(vm->env.ctx, (enum builtin)id, 0, &value);
	return value;
}

static void note_known(struct native_call *c, uint32_t i, uint64_t value)
{
	c->once[i] = value;
	c->asked |= UINT32_C(1) << i;
}

static uint64_t native_builtin(struct native_call *c, uint32_t id)
{
	uint32_t i = native_once(id);

	if (id == BUILTIN_timestamp && c->vm->own_time)
		return c->vm->own_time;
	if (!(c->asked >> i & 1))
		note_known(c, i,
			   id == BUILTIN_timestamp && c->clock ? c->clock(c)
							       : ask(c->vm, id));
	return c->once[i];
}

/* Text of the image or of the probe's name; the translator has looked at its length. */
static const char *constant_text(const struct vm *vm, uint64_t address)
{
	if (address - VM_ADDR_NAMES < VM_ADDR_SPAN)
		return vm->names + (address - VM_ADDR_NAMES);
	return program_string(vm->image, (uint32_t)(address - VM_ADDR_IMAGE));
}

static void push_string(struct native_call *c, uint64_t address)
{
	const char *text = constant_text(c->vm, address);
	uint32_t strsize = program_header(c->vm->image)->strsize;
	uint32_t n = (uint32_t)str_len(text, strsize);

	c->tuple_end += tuple_put(c->tuple + c->tuple_end, text, n);
}

static void native_push(struct native_call *c, uint64_t value, uint32_t kind)
{
	if (kind == NATIVE_PUSH_STRING) {
		push_string(c, value);
		return;
	}
	bytes_store(c->tuple + c->tuple_end, value & UINT64_MAX >> (64 - 8 * kind), 8);
	c->tuple_end += 8;
}

/* No entry of the cache is valid any more. */
static void renew_stamp(struct native_call *c)
{
	c->stamp = (uint64_t)++c->slot->stamp << 32;
}

/* An element in one piece: its value is found from its address. */
static void learn(struct native_call *c, const struct shard *h, uint64_t offset,
		  uint32_t place)
{
	struct inline_cache_element found = {offset, 0, (uint32_t)(c->stamp >> 32)};
	const struct element *e = shard_element(h, offset);

	if (e && shard_at(h, offset,
			  element_size(load32(&e->key_room), load32(&e->words)))) {
		found.address = (uintptr_t)e;
		inline_cache_learn_element(c->slot, c->key, place, &found);
		if (place & INLINE_CACHE_FIRST)
			c->learnt = (uint32_t)(offset / 8 + 1);
	}
}

/* place: where the update is cached, under c->key; 0: it is not. */
static void native_aggregate(struct native_call *c, uint32_t agg, uint64_t value,
			     uint64_t increment, uint32_t place)
{
	struct shard h = shard_of(c->vm->state, c->vm->slot);
	const struct agg_sample x = {value, increment};
	struct agg_key k = agg_key_of(agg, c->tuple, c->tuple_end);
	uint32_t rekeyed = c->slot->rekeyed;
	uint64_t offset;
	bool is_added = agg_update(&h, program_agg(c->vm->image, agg), &k, &x, &offset);

	firing_grow(c->vm, c->slot);
	if (!is_added) {
		layout_count(&c->slot->drops.aggs);
		return;
	}
	if (rekeyed != c->slot->rekeyed) {
		renew_stamp(c);
		c->learnt = 0;
		if (c->rekeyed)
			c->rekeyed(c);
	}
	if (place)
		learn(c, &h, offset, place);
}

static void learn_own(struct native_call *c, uint32_t var)
{
	const struct program_var *v = program_var(c->vm->image, var);

	if (own_cell_is_for(c->vm, v))
		c->own[var % NATIVE_OWN] = (uintptr_t)own_cell_remembered(c->vm, var);
}

static uint64_t native_load(struct native_call *c, uint32_t var)
{
	uint64_t value = dynvar_load_integer(
		c->vm, var, (struct dynvar_key){c->tuple, c->tuple_end});

	learn_own(c, var);
	return value;
}

static void native_store(struct native_call *c, uint32_t var, uint64_t value)
{
	dynvar_store_integer(c->vm, var, (struct dynvar_key){c->tuple, c->tuple_end},
			     value);
	learn_own(c, var);
}

/* What the firing knows already is the same for the clauses of ERROR and after them. */
static void take_known(const struct native_call *c, struct firing *f)
{
	for (uint32_t id = 0; id < BUILTIN_COUNT; id++) {
		uint32_t i = native_once(id);

		if (i == NATIVE_ONCE || !(c->asked >> i & 1))
			continue;
		f->cache[id] = c->once[i];
		f->cached |= UINT64_C(1) << id;
	}
}

static void give_known(struct native_call *c, const struct firing *f)
{
	for (uint32_t id = 0; id < BUILTIN_COUNT; id++) {
		uint32_t i = native_once(id);

		if (i != NATIVE_ONCE && f->cached >> id & 1)
			note_known(c, i, f->cache[id]);
	}
}

/* The clauses of ERROR may have given an element another key. */
static void forget_elements(struct native_call *c)
{
	bytes_zero(c->own, sizeof(c->own));
	renew_stamp(c);
	c->learnt = 0;
	if (c->rekeyed)
		c->rekeyed(c);
}

static enum native_end end_clause(struct native_call *c, struct firing *f,
				  uint64_t place, enum fault fault)
{
	const uint32_t rekeyed = c->slot->rekeyed;
	const uint64_t written = firing_written(c->slot);
	const bool is_last = place & NATIVE_PLACE_RECORDS;
	const uint32_t number = (uint32_t)((place & ~NATIVE_PLACE_RECORDS) >> 32);

	take_known(c, f);
	f->pc = (uint32_t)place;
	if (c->at_fault)
		c->at_fault(c, false);
	firing_fault(f, &c->enablings[c->probe->first_enabling + number], fault);
	if (is_last)
		firing_go_on(f, number + 1);
	give_known(c, f);
	firing_settle(c->vm, c->slot, written);
	if (c->at_fault)
		c->at_fault(c, true);
	if (rekeyed != c->slot->rekeyed)
		forget_elements(c);
	return f->is_stopped || is_last ? NATIVE_FIRING_ENDS : NATIVE_CLAUSE_ENDS;
}

static ATTR_NOINLINE uint64_t native_fail(struct native_call *c, uint64_t place,
					  uint32_t fault)
{
	struct firing f;

	firing_begin(&f, c->vm, c->probe);
	if (fault == FAULT_NOLOCAL)
		fault = (uint32_t)firing_no_local(&f);
	return end_clause(c, &f, place, (enum fault)fault);
}

static ATTR_NOINLINE uint64_t fail_at(struct native_call *c, uint64_t place,
				      uint64_t address)
{
	struct firing f;

	firing_begin(&f, c->vm, c->probe);
	f.fault_address = address;
	return end_clause(c, &f, place, FAULT_BADADDR);
}

static struct native_loaded native_read(struct native_call *c, uint64_t address,
					uint32_t access, uint64_t place)
{
	const struct vm_env *env = &c->vm->env;
	taddr bad = taddr_of(address);
	uint64_t raw = 0;

	if (env->read(env->ctx, bad, &raw, access & 15, &bad))
		return (struct native_loaded){0, fail_at(c, place, bad.v)};
	return (struct native_loaded){subobject_extend(raw, access), NATIVE_GOES_ON};
}

static uint64_t native_now(struct native_call *c)
{
	const uint32_t i = native_once(BUILTIN_timestamp);

	if (!(c->asked >> i & 1))
		note_known(c, i,
			   c->clock ? c->clock(c) : ask(c->vm, BUILTIN_timestamp));
	return c->once[i];
}

static void native_interpret(struct native_call *c)
{
	const uint32_t rekeyed = c->slot->rekeyed;
	const uint64_t written = firing_written(c->slot);

	if (c->at_fault)
		c->at_fault(c, false);
	firing_interpret(c->vm, c->probe);
	firing_settle(c->vm, c->slot, written);
	if (c->at_fault)
		c->at_fault(c, true);
	if (rekeyed != c->slot->rekeyed)
		forget_elements(c);
}

static void bind_ring(struct native_ring *r, struct vm *vm)
{
	struct state *s = vm->state;
	const bool is_waiting = s->config.policy == STATE_WAIT; /* from half on */

	*r = (struct native_ring){
		.open = &s->open,
		.data = layout_chunk(s, 0) + STREAM_HEADER,
		.sleeper = state_sleeper(s),
		.quarter = s->config.bufsize / 4,
		.bufsize = s->config.bufsize >> is_waiting,
		.bytes = s->ring_bytes >> is_waiting,
		.ids = (uint64_t)vm->tid << 32 | vm->pid,
		.names = vm->names,
		.ones = UINT64_MAX / 255,
		.eighties = UINT64_MAX / 255 << 7,
	};
}

/* What stays the same for a thread. */
static bool bind_thread(struct native_call *c, const struct vm *vm)
{
	const struct vm_env *env = &vm->env;

	return !env->builtin(env->ctx, BUILTIN_pid, 0, &c->pid) &&
	       !env->builtin(env->ctx, BUILTIN_tid, 0, &c->tid) &&
	       !env->builtin(env->ctx, BUILTIN_uid, 0, &c->uid) &&
	       !env->builtin(env->ctx, BUILTIN_gid, 0, &c->gid);
}

bool native_bind(struct native_call *c, struct vm *vm)
{
	struct state *s = vm->state;

	if (!vm_is_usable(vm) || state_is_stopped(s) || s->config.only_cpu ||
	    !bind_thread(c, vm))
		return false;
	c->vm = vm;
	c->slot = layout_slot(s, vm->slot);
	c->globals = layout_at(s, s->globals_at);
	c->locals = layout_locals(s, c->slot, 0);
	c->tuple = c->slot->tuple;
	c->cache = c->slot->cache;
	c->chunks = layout_shard_chunks(s, c->slot);
	c->before_chunks = layout_chunk(s, 0) - CHUNK_BYTES;
	c->learnt = 0;
	bytes_zero(c->own, sizeof(c->own));
	c->nominal = &layout_variables(s)->nominal;
	c->spare_most = cell_spare_most(s);
	renew_stamp(c);
	c->fullnames = vm->fullnames;
	c->enablings = vm->enablings;
	c->builtin = native_builtin;
	c->push = native_push;
	c->aggregate = native_aggregate;
	c->load = native_load;
	c->store = native_store;
	c->read = native_read;
	c->fail = native_fail;
	c->now = native_now;
	c->interpret = native_interpret;
	bind_ring(&c->ring, vm);
	return true;
}
