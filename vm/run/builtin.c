/* SPDX-License-Identifier: MIT */
/*
 * Built-in variables. What the surroundings say is asked once a firing, so
 * every clause of it sees the same timestamp.
 */
#include "vm/builtin.h"
#include "vm/base/regs.h"
#include "vm/base/status.h"
#include "vm/base/str.h"
#include "vm/run/firing.h"
#include "vm/run/journal.h"

_Static_assert(BUILTIN_COUNT <= 64, "struct firing keeps one bit for each");

static enum fault fault_of(struct firing *f, int status)
{
	if (status == 0)
		return FAULT_NONE;
	return status == STATUS_RANGE ? FAULT_ILLOP : firing_bad_address(f, 0);
}

/* Of an argument; *value is the function that a tail call goes to. */
static enum fault argument_fault(struct firing *f, int status, uint64_t *value)
{
	if (status != STATUS_LATER)
		return fault_of(f, status);
	f->fault_address = *value;
	return FAULT_TAILCALL;
}

enum fault firing_no_local(const struct firing *f)
{
	const struct vm_env *env = &f->vm->env;
	uint64_t key;

	return env->builtin(env->ctx, BUILTIN_uregs, REGS_UREG_PLACE, &key) == 0 && !key
		       ? FAULT_NOPLACE
		       : FAULT_NOLOCAL;
}

/* Deeper stacks count as this deep: each frame takes time. */
#define DEPTH_MAX 65536u

static uint64_t stack_depth(const struct firing *f)
{
	const struct vm_env *env = &f->vm->env;

	return env->stack ? env->stack(env->ctx, NULL, DEPTH_MAX) : 0;
}

static uint64_t kernel_depth(const struct firing *f)
{
	const struct vm_env *env = &f->vm->env;

	return env->kernel_stack ? env->kernel_stack(env->ctx, NULL, DEPTH_MAX) : 0;
}

/* The caller of the kernel's function; 0: there is no kernel side. */
static uint64_t kernel_caller(const struct firing *f)
{
	const struct vm_env *env = &f->vm->env;
	uint64_t pcs[2] = {0};

	if (env->kernel_stack)
		env->kernel_stack(env->ctx, pcs, ARRAY_LEN(pcs));
	return pcs[1];
}

uint32_t builtin_cpu(struct firing *f)
{
	const struct vm *vm = f->vm;

	if (!(f->cached >> BUILTIN_cpu & 1)) {
		f->cache[BUILTIN_cpu] =
			vm->env.cpu ? vm->env.cpu(vm->env.ctx) : vm->cpu;
		f->cached |= UINT64_C(1) << BUILTIN_cpu;
	}
	return (uint32_t)f->cache[BUILTIN_cpu];
}

static uint64_t load_machine(struct firing *f, uint32_t id)
{
	uint64_t depth;

	switch (id) {
	case BUILTIN_cpu:
		return builtin_cpu(f);
	case BUILTIN_probeprov:
	case BUILTIN_probemod:
	case BUILTIN_probefunc:
	case BUILTIN_probename:
		return VM_ADDR_NAMES +
		       f->vm->fullnames[f->probe->id - 1].field[id - BUILTIN_probeprov];
	case BUILTIN_id:
		return f->probe->id;
	case BUILTIN_epid:
		return f->epid;
	case BUILTIN_ustackdepth:
		depth = stack_depth(f);
		journal_note_number(f, id, 0, depth);
		return depth;
	case BUILTIN_stackdepth:
		return kernel_depth(f);
	default:
		return kernel_caller(f);
	}
}

static enum fault load_arg(struct firing *f, uint32_t id, uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	uint64_t index = id - BUILTIN_arg0;

	if (f->error_args) {
		*out = index < FIRING_ERROR_ARGS ? f->error_args[index] : 0;
		return FAULT_NONE;
	}
	return argument_fault(f, env->builtin(env->ctx, (enum builtin)id, index, out),
			      out);
}

/* The text goes to scratch memory; what its strsize bytes leave free is given back. */
static enum fault load_text(struct firing *f, uint32_t id, uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	uint32_t at;
	char *text;
	int rc;

	if (!scratch_take(f, (uint64_t)f->strsize + 1, &at))
		return FAULT_NOSCRATCH;
	text = (char *)f->slot->scratch + at;
	rc = env->builtin_str(env->ctx, (enum builtin)id, text, (size_t)f->strsize + 1);
	text[f->strsize] = '\0';
	f->scratch_used = at + (uint32_t)str_len(text, f->strsize) + 1;
	*out = VM_ADDR_SCRATCH + at;
	if (rc == 0)
		journal_note(f, JOURNAL_TEXT, id, text, str_len(text, f->strsize));
	return fault_of(f, rc);
}

static enum fault load_cached(struct firing *f, uint32_t id, uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	enum fault fault;

	if (f->cached >> id & 1) {
		*out = f->cache[id];
		return FAULT_NONE;
	}
	if (builtin_source((enum builtin)id) == SOURCE_ENVSTR)
		fault = load_text(f, id, out);
	else
		fault = fault_of(f, env->builtin(env->ctx, (enum builtin)id, 0, out));
	if (fault == FAULT_NONE) {
		f->cache[id] = *out;
		f->cached |= UINT64_C(1) << id;
		if (builtin_source((enum builtin)id) != SOURCE_ENVSTR)
			journal_note_number(f, id, 0, *out);
	}
	return fault;
}

uint64_t builtin_clock(struct firing *f)
{
	uint64_t ns = 0;

	return load_cached(f, BUILTIN_timestamp, &ns) == FAULT_NONE ? ns : 0;
}

enum fault builtin_load(struct firing *f, uint32_t id, uint64_t *out)
{
	*out = 0;
	if (id == BUILTIN_timestamp && f->vm->own_time) {
		*out = f->vm->own_time;
		return FAULT_NONE;
	}
	switch (builtin_source((enum builtin)id)) {
	case SOURCE_MACHINE:
		*out = load_machine(f, id);
		return FAULT_NONE;
	case SOURCE_ARG:
		return load_arg(f, id, out);
	default:
		return load_cached(f, id, out);
	}
}

enum fault builtin_load_indexed(struct firing *f, uint32_t id, uint64_t index,
				uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;

	enum fault fault;

	*out = 0;
	fault = fault_of(f, env->builtin(env->ctx, (enum builtin)id, index, out));
	if (fault == FAULT_NONE)
		journal_note_number(f, id, index, *out);
	return fault;
}
