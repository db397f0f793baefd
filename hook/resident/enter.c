/* SPDX-License-Identifier: MIT */
/*
 * Where resident code is entered, on the level's own stack (entry_x86_64.S), and
 * the probes of the site are fired. The block was laid out by the keeper before the
 * first site was turned on; nothing is allocated, and nothing but the tcb, the
 * state block and the stack is written.
 */
#include "hook/resident/level.h"
#include "vm/base/bytes.h"
#include "vm/meter.h"
#include "vm/own_time.h"

void resident_fire(struct regs *regs, uint32_t number, struct resident_tcb *tcb);

/* Address of a position in a mapping of ours. */
static inline const void *at(const void *base, uint64_t offset)
{
	return (const unsigned char *)base + offset;
}

/* The thread has one time of its own, whichever level it is on. */
static void bind_own_time(struct level *l)
{
	l->own = NULL;
	l->vm.own_time = 0;
	if (!own_time_is_on(l->vm.state))
		return;
	l->own = own_time_of(l->vm.state, l->tcb->thread.slot[0]);
	l->way = own_time_ways(l->vm.state).jump;
}

static inline bool is_first_level(const struct level *l)
{
	return l->tcb->gate.busy == 1;
}

/* No routine runs until the next bind_native(). */
static void unbind_native(struct level *l)
{
	l->native_sum = 0;
	if (is_first_level(l))
		l->tcb->gate.call = 0;
}

/* Binds the machine to the program that the process has now; false: to none. */
static ATTR_NOINLINE bool bind(struct level *l, uint64_t generation)
{
	uint64_t address =
		atomic_load_explicit(&l->block->program, memory_order_relaxed);
	const struct resident_program *p = (const void *)(uintptr_t)address;
	const struct resident_thread *thread = &l->tcb->thread;
	const struct vm_table *table;
	struct vm *vm = &l->vm;

	l->generation = 0;
	unbind_native(l);
	if (!generation || !p || p->magic != RESIDENT_PROGRAM_MAGIC ||
	    p->version != RESIDENT_VERSION)
		return false;
	table = at(p, p->table_at);
	l->probes = (const void *)(table + 1);
	l->nprobes = table->nprobes;
	vm->image = at(p, p->image_at);
	vm->state = (struct state *)(uintptr_t)l->block->state;
	vm->slot = thread->slot[l->tcb->gate.busy > 1];
	vm->enablings = (const void *)(l->probes + table->nprobes);
	vm->fullnames = (const void *)(vm->enablings + table->nenablings);
	vm->names = (const void *)(vm->fullnames + table->nprobes);
	vm->names_size = table->names_size;
	l->operands = (const void *)(vm->names + table->names_size);
	l->noperands = table->noperands;
	vm->error = table->error < table->nprobes ? &l->probes[table->error] : NULL;
	l->missed_ustack = table->missed_ustack;
	l->truncated_frames = 0;
	l->may_cache = vm_may_count(vm->image);
	vm->context = CONTEXT_RESIDENT;
	vm->cpu = 0;
	vm->pid = l->block->pid;
	vm->tid = thread->tid;
	vm->thread = thread->identity;
	l->natives = p->natives_at ? at(p, p->natives_at) : NULL;
	l->code = (const void *)(uintptr_t)p->code;
	l->is_metered = state_has_meters(vm->state);
	bind_own_time(l);
	env_bind(l);
	l->generation = generation;
	return true;
}

/* Elements that the count cache names may be others' now. */
static void forget_counts(struct native_call *c)
{
	struct level *l = c->vm->env.ctx;

	if (is_first_level(l) && l->tcb->gate.cache_sum)
		count_cache_forget(l);
}

/* Where light routines end (entry_x86_64.S). */
extern const unsigned char resident_finished[] __attribute__((visibility("hidden")));
extern const unsigned char resident_unfinished[] __attribute__((visibility("hidden")));

/* From now on light routines run, as long as the count cache is valid. */
static void bind_lights(struct level *l)
{
	struct native_light_call *light = &l->call.light;
	struct resident_gate *gate = &l->tcb->gate;

	/* A light routine knows nothing of the time that a firing takes. */
	if (l->is_metered || l->own || !gate->cache)
		return;
	light->finished = (uintptr_t)resident_finished;
	light->unfinished = (uintptr_t)resident_unfinished;
	light->gate = gate;
	count_cache_begin(l);
	gate->call = (uintptr_t)&l->call;
}

/* A truncated stack is an event in itself, after the one that asked for it. */
static ATTR_NOINLINE void fire_missed_ustack(struct level *l)
{
	const struct resident_hit cut = {.kind = RESIDENT_TRUNCATED};
	const struct resident_hit *now = l->now;

	if (l->missed_ustack && l->missed_ustack <= l->nprobes) {
		l->now = &cut;
		vm_fire_unheard(&l->vm, &l->probes[l->missed_ustack - 1],
				VM_FIRE_NORMAL);
		l->now = now;
	}
	l->truncated_frames = 0;
}

/* The hit of a site with one probe. */
static inline void set_alone(struct level *l)
{
	const bool is_inside = (l->hits & RESIDENT_INSIDE) != 0;

	l->now = NULL;
	if (l->hits & RESIDENT_RETURNS) {
		l->alone.kind = RESIDENT_RETURN;
		l->alone.arg0 = (uint32_t)l->hits;
		l->alone.convention = REGS_CONVENTION_C;
		l->now = &l->alone;
	} else if (resident_operands(l->hits)) {
		l->alone.kind = is_inside ? RESIDENT_OFFSET : RESIDENT_ENTRY;
		l->alone.convention = REGS_CONVENTION_NOTE;
		l->alone.first_range = resident_operands(l->hits) - 1;
		l->now = &l->alone;
	} else if (is_inside) {
		l->alone.kind = RESIDENT_OFFSET;
		l->alone.convention = REGS_CONVENTION_C;
		l->now = &l->alone;
	}
}

/* Clauses of ERROR see the hit as they do when all is interpreted. */
static void at_fault(struct native_call *c, bool is_over)
{
	struct level *l = c->vm->env.ctx;

	if (!is_over)
		set_alone(l);
	else if (l->truncated_frames)
		fire_missed_ustack(l);
}

/* After the sum was read: it changes with all that native_bind() looks at. */
static ATTR_NOINLINE void bind_native(struct level *l)
{
	unbind_native(l);
	if (l->natives && native_bind(&l->call, &l->vm)) {
		l->call.regs = l->regs;
		l->call.probes = l->probes;
		l->call.nprobes = l->nprobes;
		l->call.rekeyed = forget_counts;
		l->call.clock = env_clock;
		l->call.at_fault = at_fault;
		l->call.spots = at(l->block, l->block->layout.spots_at);
		l->native_sum = l->sum;
		if (is_first_level(l))
			bind_lights(l);
	}
}

/* The routine of the probe that is alone at the site; NULL: it has none. */
static inline native_routine *routine_of(const struct level *l, uint64_t hits)
{
	uint32_t probe = RESIDENT_PROBE(hits), at;

	if (!(hits & RESIDENT_ALONE) || probe >= l->nprobes)
		return NULL;
	if (hits & RESIDENT_RETURNS)
		at = l->natives[probe].result;
	else if (resident_operands(hits))
		at = l->natives[probe].noted;
	else
		at = l->natives[probe].entry;
	return at ? (native_routine *)(uintptr_t)(l->code + at) : NULL;
}

/* The word that the site's prologue jumps by. */
static _Atomic uint64_t *switch_of(uint64_t epilogue)
{
	uint64_t next = epilogue - RESIDENT_PROLOGUE + RESIDENT_PROLOGUE_JMP;
	int32_t distance;

	bytes_copy(&distance, (const void *)(uintptr_t)(next - sizeof(distance)),
		   sizeof(distance));
	return (_Atomic uint64_t *)(uintptr_t)(next + (uint64_t)(int64_t)distance);
}

/* The gate page (resident.ld). */
extern struct resident_gate resident_gate __attribute__((visibility("hidden")));

/*
 * The keeper is dead: threads made from now on would run with their creator's GS
 * base. Turns every site off: stubs pass straight through. Each process does it for
 * its own memory, a fork child too.
 */
static ATTR_NOINLINE void switch_off(const struct resident_block *b)
{
	const struct resident_site *sites = at(b, b->layout.sites_at);
	uint32_t n = atomic_load_explicit(&b->nsites, memory_order_relaxed);

	if (atomic_exchange_explicit(&resident_gate.is_off, 1, memory_order_relaxed))
		return;
	for (uint32_t i = 0; i < n && i < b->layout.config.nsites; i++)
		if (sites[i].epilogue)
			atomic_store_explicit(switch_of(sites[i].epilogue),
					      sites[i].epilogue, memory_order_relaxed);
}

static inline void fire_probe(struct level *l, uint32_t probe)
{
	if (probe < l->nprobes && vm_fire(&l->vm, &l->probes[probe], VM_FIRE_NORMAL))
		l->tcb->gate.fired++;
	if (l->truncated_frames)
		fire_missed_ustack(l);
}

/* Stacks and losses of diag probes themselves are no events. */
static ATTR_NOINLINE void fire_raw(struct level *l, uint32_t probe)
{
	if (probe < l->nprobes)
		vm_fire_unheard(&l->vm, &l->probes[probe], VM_FIRE_NORMAL);
	l->truncated_frames = 0;
}

static inline void fire_alone(struct level *l)
{
	uint32_t probe = RESIDENT_PROBE(l->hits);

	set_alone(l);
	fire_probe(l, probe);
	if (l->may_cache && probe < l->nprobes)
		count_cache_learn(l, &l->probes[probe]);
}

static ATTR_NOINLINE void fire_several(struct level *l)
{
	const struct resident_block *b = l->block;
	const struct resident_hit *hits = at(b, b->layout.hits_at);
	struct list list =
		list_checked(l->hits & ~RESIDENT_PUSHED, b->layout.config.nhits);

	for (uint32_t i = 0; i < list.n; i++) {
		l->now = &hits[list.first + i];
		if ((l->now->kind & (RESIDENT_RAW - 1)) == RESIDENT_LEAVING &&
		    !exit_is_taken(l, l->now))
			continue;
		if (l->now->role && !exit_follows(l))
			continue;
		if (l->now->kind & RESIDENT_RAW)
			fire_raw(l, l->now->probe);
		else
			fire_probe(l, l->now->probe);
	}
}

/* Hits that found no level are drops like those of a full buffer. */
static ATTR_NOINLINE void count_lost(struct level *l)
{
	struct resident_gate *gate = &l->tcb->gate;
	uint64_t n = atomic_load_explicit(&gate->lost, memory_order_relaxed);

	atomic_store_explicit(&gate->lost, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&state_drops(l->vm.state, l->vm.slot)->records, n,
				  memory_order_relaxed);
}

static inline void fire_site(struct level *l)
{
	struct resident_gate *gate = &l->tcb->gate;
	const uint32_t rekeyed = vm_rekeyed(&l->vm);

	l->hits = atomic_load_explicit(&l->site->hits, memory_order_acquire);
	l->hit++;
	if (l->hits & RESIDENT_ALONE)
		fire_alone(l);
	else
		fire_several(l);
	/* Elements that routines and the count cache know may be others' now. */
	if (rekeyed != vm_rekeyed(&l->vm))
		unbind_native(l);
	if (gate->busy == 1 && gate->cache_sum && gate->rekeyed != vm_rekeyed(&l->vm))
		gate->cache_sum = 0;
	if (atomic_load_explicit(&gate->lost, memory_order_relaxed))
		count_lost(l);
}

/* Inside a firing that is interrupted the time stands still. */
static void begin_own_time(struct level *l)
{
	if (l->tcb->gate.busy > 1)
		l->vm.own_time =
			atomic_load_explicit(&l->own->now, memory_order_relaxed);
	else
		l->vm.own_time = own_time_enter(l->own, env_now(l), l->way);
}

static void end_own_time(struct level *l)
{
	if (l->tcb->gate.busy == 1)
		own_time_leave(l->own, env_now(l), l->way);
}

static ATTR_NOINLINE void fire_in_own_time(struct level *l)
{
	begin_own_time(l);
	fire_site(l);
	end_own_time(l);
}

static inline bool is_watched(const struct resident_block *b)
{
	return !(atomic_load_explicit(&b->keeper, memory_order_relaxed) &
		 RESIDENT_KEEPER_DIED);
}

static ATTR_NOINLINE void fire_slowly(struct level *l, uint32_t number,
				      struct resident_tcb *tcb)
{
	const struct resident_block *b = (const void *)((unsigned char *)tcb - tcb->at);
	const struct resident_site *sites = at(b, b->layout.sites_at);
	uint64_t sum = level_sum(b);
	uint64_t generation =
		atomic_load_explicit(&b->generation, memory_order_acquire);

	if (!is_watched(b)) {
		tcb->gate.pending = 0; /* no keeper waits for the trap */
		switch_off(b);
		return;
	}
	l->block = b;
	l->tcb = tcb;
	l->site = &sites[number];
	l->sum = sum;
	if ((generation && generation == l->generation) || bind(l, generation)) {
		if (l->native_sum != sum)
			bind_native(l);
		if (l->own)
			fire_in_own_time(l);
		else
			fire_site(l);
	}
}

static inline void run(struct level *l, native_routine *routine)
{
	l->tcb->gate.fired++;
	routine(&l->call);
	if (l->call.learnt)
		count_cache_learn_link(l);
}

static bool run_present(void *ctx)
{
	struct level *l = ctx;

	run(l, l->routine);
	return true;
}

static ATTR_NOINLINE void run_metered(struct level *l, native_routine *routine)
{
	l->routine = routine;
	if (l->own)
		begin_own_time(l);
	meter_fire(&l->vm, l->call.probe->id, run_present, l);
	if (l->own)
		end_own_time(l);
}

/* False: an argument cannot be read, which is a fault that a routine cannot have. */
static inline bool load_operands(struct level *l, uint32_t probe, uint64_t hits)
{
	const uint32_t set = resident_operands(hits) - 1;

	l->hits = hits;
	l->hit++;
	for (uint32_t used = l->natives[probe].arguments; used; used &= used - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(used);
		const struct probe_operand *o = &l->operands[set].arg[i];

		if (set >= l->noperands)
			return false;
		if (o->kind == PROBE_OPERAND_REGISTER) /* nearly always */
			l->call.args[i] = probe_operand_value(o, l->regs, level_sp(l));
		else if (operand_load(l, set, i, &l->call.args[i]))
			return false;
	}
	return true;
}

/*
 * Called by the entry with the saved registers of the level in use; where the
 * thread goes on is put beside them. A routine that was bound for the present sum runs at
 * once: the sum changes with everything that fire_slowly() looks at.
 */
void resident_fire(struct regs *regs, uint32_t number, struct resident_tcb *tcb)
{
	const struct resident_site *site =
		(const struct resident_site *)(uintptr_t)tcb->gate.sites + number;
	struct level *l = level_of(regs);
	native_routine *routine = NULL;
	uint64_t hits;

	regs_set_pc(regs, site->epilogue);
	l->regs = regs;
	if (l->native_sum && l->native_sum == level_sum(l->block) && !tcb->gate.lost) {
		hits = atomic_load_explicit(&site->hits, memory_order_acquire);
		routine = routine_of(l, hits);
	}
	if (!routine || (resident_operands(hits) &&
			 !load_operands(l, RESIDENT_PROBE(hits), hits))) {
		fire_slowly(l, number, tcb);
		return;
	}
	l->call.probe = &l->probes[RESIDENT_PROBE(hits)];
	l->call.arg0 = (uint32_t)hits;
	l->call.word = l->hits = hits;
	l->call.site = number;
	l->site = site;
	l->hit++;
	if (l->is_metered)
		run_metered(l, routine);
	else
		run(l, routine);
}
