/* SPDX-License-Identifier: MIT */
/*
 * One firing: every clause enabled on the probe, and ERROR where one faults.
 * A firing of ERROR happens inside the faulting one and in the same slot: it gets
 * the scratch memory that is left and clause-locals of its own, so that the
 * clauses after the faulting one find theirs unchanged.
 */
#include "vm/base/bytes.h"
#include "vm/meter.h"
#include "vm/run/firing.h"
#include "vm/run/inline_cache.h"
#include "vm/record.h"

#define LEVEL_NORMAL 0u
#define LEVEL_ERROR  1u

static void set_up(struct firing *f, struct vm *vm, const struct vm_probe *probe,
		   uint32_t level)
{
	f->vm = vm;
	f->slot = layout_slot(vm->state, vm->slot);
	f->probe = probe;
	f->error_args = NULL;
	f->is_end = false;
	f->is_stopped = false;
	f->is_snapshot = false;
	f->is_recorded = false;
	f->is_journal_full = false;
	f->is_journal_spoilt = false;
	f->journal_used = 0;
	f->locals = layout_locals(vm->state, f->slot, level);
	f->strsize = program_header(vm->image)->strsize;
	f->scratch_used = 0;
	f->fault_address = 0;
	record_writer_reset(&f->record);
	f->cached = 0;
	f->token_at = 0;
	f->chance = 0;
}

static void begin(struct firing *f, struct vm *vm, const struct vm_probe *probe,
		  uint32_t level)
{
	const struct program_header *h = program_header(vm->image);

	set_up(f, vm, probe, level);
	bytes_zero(f->locals, h->locals * sizeof(f->locals[0]));
}

void firing_begin(struct firing *f, struct vm *vm, const struct vm_probe *probe)
{
	set_up(f, vm, probe, LEVEL_NORMAL);
}

/* The number of the action that the instruction belongs to, 0 the predicate. */
static uint32_t action_of(const struct firing *f, const struct program_clause *clause)
{
	const struct program_stmt *stmt = program_section(f->vm->image, SECTION_STMT);
	uint32_t action = 0;

	for (uint32_t i = 0; i < clause->nstmts; i++)
		if (stmt[clause->stmt + i].first <= f->pc)
			action = stmt[clause->stmt + i].action;
	return action;
}

static bool fault_has_address(enum fault fault)
{
	return fault == FAULT_BADADDR || fault == FAULT_TAILCALL;
}

static struct record_fault
report_of(const struct firing *f, const struct program_clause *clause, enum fault fault)
{
	return (struct record_fault){
		.action = action_of(f, clause),
		.insn = f->pc - clause->first,
		.fault = fault,
		.address = fault_has_address(fault) ? f->fault_address : 0,
	};
}

static bool run_clause(struct firing *f, const struct vm_enabling *enabling,
		       struct record_fault *report)
{
	const struct program_clause *clause;
	enum fault fault;

	if (enabling->clause >= program_count(f->vm->image, SECTION_CLAUSE))
		return true;
	clause = program_clause(f->vm->image, enabling->clause);
	f->clause = enabling->clause;
	f->epid = enabling->epid;
	fault = interp_run(f, clause);
	if (fault == FAULT_NONE) {
		record_commit(f, RECORD_DATA);
		if (clause->flags & CLAUSE_CONSTANT)
			inline_cache_learn(f->slot, f->probe, f->clause, f->counted_at);
		return true;
	}
	record_abandon(f);
	*report = report_of(f, clause, fault);
	return false;
}

static void run_error(struct firing *outer, const struct record_fault *report)
{
	struct vm *vm = outer->vm;
	const uint64_t args[FIRING_ERROR_ARGS] = {
		0,
		outer->epid,
		report->action,
		report->insn,
		(uint64_t)(int64_t)report->fault,
		report->address,
	};
	struct record_fault ignored;
	struct firing f;

	begin(&f, vm, vm->error, LEVEL_ERROR);
	f.error_args = args;
	f.is_end = outer->is_end;
	f.scratch_used = outer->scratch_used;
	f.cached = outer->cached;
	for (uint32_t i = 0; i < BUILTIN_COUNT; i++)
		if (f.cached >> i & 1)
			f.cache[i] = outer->cache[i];
	for (uint32_t i = 0; i < vm->error->nenablings && !f.is_stopped; i++)
		if (!run_clause(&f, &vm->enablings[vm->error->first_enabling + i],
				&ignored))
			layout_count(&f.slot->drops.errors);
	outer->is_stopped |= f.is_stopped;
	outer->is_snapshot |= f.is_snapshot;
}

static void handle_fault(struct firing *f, const struct record_fault *report)
{
	record_fault(f, report);
	if (f->vm->error)
		run_error(f, report);
}

void firing_fault(struct firing *f, const struct vm_enabling *enabling,
		  enum fault fault)
{
	struct record_fault report;

	f->clause = enabling->clause;
	f->epid = enabling->epid;
	report = report_of(f, program_clause(f->vm->image, enabling->clause), fault);
	handle_fault(f, &report);
}

static inline bool is_constant(const struct vm *vm, uint32_t clause)
{
	return clause < program_count(vm->image, SECTION_CLAUSE) &&
	       program_clause(vm->image, clause)->flags & CLAUSE_CONSTANT;
}

/* The clause is a constant one that has counted for this probe before: once more. */
static inline bool is_counted(struct vm *vm, const struct vm_probe *probe,
			      uint32_t clause)
{
	return is_constant(vm, clause) &&
	       inline_cache_count(vm, layout_slot(vm->state, vm->slot), probe, clause);
}

/* The clause that records the firing, which is the last one; NULL: it has none. */
static inline const struct vm_enabling *recorder_of(const struct vm *vm,
						    const struct vm_probe *probe)
{
	const struct vm_enabling *last =
		vm->enablings + probe->first_enabling + probe->nenablings - 1;

	if (last->clause < program_count(vm->image, SECTION_CLAUSE) &&
	    program_clause(vm->image, last->clause)->flags & CLAUSE_RECORDER)
		return last;
	return NULL;
}

/* The recorder's clause has run: the consumer finds this firing as well. */
static void ask_for_snapshot(struct vm *vm)
{
	_Atomic uint32_t *sleeper = state_sleeper(vm->state);

	atomic_fetch_add(&layout_exchange(vm->state)->snapshots, 1);
	if (vm->env.wake && atomic_exchange(sleeper, 0))
		vm->env.wake(vm->env.ctx, sleeper);
}

void firing_go_on(struct firing *f, uint32_t first)
{
	const struct vm_enabling *enabling =
		f->vm->enablings + f->probe->first_enabling;
	struct record_fault report;

	for (uint32_t i = first; i < f->probe->nenablings && !f->is_stopped; i++)
		if (!is_counted(f->vm, f->probe, enabling[i].clause) &&
		    !run_clause(f, &enabling[i], &report))
			handle_fault(f, &report);
	if (f->is_snapshot)
		ask_for_snapshot(f->vm);
}

void firing_interpret(struct vm *vm, const struct vm_probe *probe)
{
	struct firing f;

	begin(&f, vm, probe, LEVEL_NORMAL);
	firing_go_on(&f, 0);
}

static void run_from(struct vm *vm, const struct vm_probe *probe, uint32_t first,
		     enum vm_fire_flag flag)
{
	const struct vm_enabling *enabling = vm->enablings + probe->first_enabling;
	const struct vm_enabling *recorder = recorder_of(vm, probe);
	struct record_fault report;
	struct firing f;

	begin(&f, vm, probe, probe == vm->error ? LEVEL_ERROR : LEVEL_NORMAL);
	f.is_end = flag == VM_FIRE_END;
	f.is_recorded = recorder != NULL;
	for (uint32_t i = first; i < probe->nenablings && !f.is_stopped; i++) {
		if (flag == VM_FIRE_BEGIN && state_is_stopped(vm->state))
			return;
		if (!is_counted(vm, probe, enabling[i].clause) &&
		    !run_clause(&f, &enabling[i], &report))
			handle_fault(&f, &report);
	}
	/* A firing that ends tracing is part of the recording. */
	if (recorder && f.is_stopped && f.epid != recorder->epid)
		run_clause(&f, recorder, &report);
	if (f.is_snapshot)
		ask_for_snapshot(vm);
}

_Atomic uint64_t *vm_counter(const struct vm *vm, const struct vm_probe *probe)
{
	uint32_t clause;

	if (probe->nenablings != 1)
		return NULL;
	clause = vm->enablings[probe->first_enabling].clause;
	if (!is_constant(vm, clause) || !vm_is_usable(vm))
		return NULL;
	if (vm->state->config.nmeters)
		return NULL;
	if (state_is_stopped(vm->state) || vm->state->config.only_cpu)
		return NULL;
	return inline_cache_counter(vm, layout_slot(vm->state, vm->slot), probe,
				    clause);
}

uint32_t vm_rekeyed(const struct vm *vm)
{
	return vm_is_usable(vm) ? layout_slot(vm->state, vm->slot)->rekeyed : 0;
}

/* The front's own probes belong to no processor. */
static bool is_on_cpu(struct vm *vm)
{
	uint32_t only = vm->state->config.only_cpu;

	if (only == 0 || vm->context == CONTEXT_FRONT)
		return true;
	return (vm->env.cpu ? vm->env.cpu(vm->env.ctx) : vm->cpu) + 1 == only;
}

static bool fire(struct vm *vm, const struct vm_probe *probe, enum vm_fire_flag flag)
{
	const struct vm_enabling *enabling = vm->enablings + probe->first_enabling;
	struct slot *slot;
	uint64_t written;
	uint32_t i = 0;

	if (!vm_is_usable(vm) || (flag != VM_FIRE_END && state_is_stopped(vm->state)) ||
	    !is_on_cpu(vm))
		return false;
	while (i < probe->nenablings && is_counted(vm, probe, enabling[i].clause))
		i++;
	if (i == probe->nenablings)
		return true;
	slot = layout_slot(vm->state, vm->slot);
	written = firing_written(slot);
	run_from(vm, probe, i, flag);
	firing_settle(vm, slot, written);
	return true;
}

struct metered {
	struct vm *vm;
	const struct vm_probe *probe;
	enum vm_fire_flag flag;
};

static bool fire_metered(void *ctx)
{
	const struct metered *m = ctx;

	return fire(m->vm, m->probe, m->flag);
}

bool vm_fire(struct vm *vm, const struct vm_probe *probe, enum vm_fire_flag flag)
{
	struct metered m;

	if (!vm->state->config.nmeters)
		return fire(vm, probe, flag);
	m = (struct metered){vm, probe, flag};
	return meter_fire(vm, probe->id, fire_metered, &m);
}

struct losses {
	uint64_t records, aggs, dynvars, errors, specs, specs_unavailable;
};

static uint64_t read_count(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static struct losses losses_of(const struct state_drops *d)
{
	return (struct losses){
		.records = read_count(&d->records),
		.aggs = read_count(&d->aggs),
		.dynvars = read_count(&d->dynvars),
		.errors = read_count(&d->errors),
		.specs = read_count(&d->specs),
		.specs_unavailable = read_count(&d->specs_unavailable),
	};
}

static void add_count(_Atomic uint64_t *counter, uint64_t n)
{
	if (n)
		atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

void vm_fire_unheard(struct vm *vm, const struct vm_probe *probe,
		     enum vm_fire_flag flag)
{
	struct state_drops *d;
	struct losses before, now;

	if (!vm_is_usable(vm))
		return;
	d = state_drops(vm->state, vm->slot);
	before = losses_of(d);
	vm_fire(vm, probe, flag);
	now = losses_of(d);
	add_count(&d->unheard.records, now.records - before.records);
	add_count(&d->unheard.aggs, now.aggs - before.aggs);
	add_count(&d->unheard.dynvars, now.dynvars - before.dynvars);
	add_count(&d->unheard.errors, now.errors - before.errors);
	add_count(&d->unheard.specs, now.specs - before.specs);
	add_count(&d->unheard.specs_unavailable,
		  now.specs_unavailable - before.specs_unavailable);
}
