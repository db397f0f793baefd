/* SPDX-License-Identifier: MIT */
/*
 * What is asked of, or done to, the process that fired.
 */
#include "vm/base/status.h"
#include "vm/run/journal.h"

enum fault subr_progenyof(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	const uint64_t pid = args[0]; /* out may be the same register */

	(void)n;
	if (!env->progenyof)
		return FAULT_ILLOP;
	*out = env->progenyof(env->ctx, pid) != 0;
	if (*out)
		journal_note(f, JOURNAL_PROGENY, pid, NULL, 0);
	return FAULT_NONE;
}

static enum fault control(struct firing *f, enum vm_control what, uint64_t value)
{
	const struct vm_env *env = &f->vm->env;

	if (!env->control || env->control(env->ctx, what, value))
		return FAULT_ILLOP;
	return FAULT_NONE;
}

enum fault subr_raise(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)n;
	(void)out;
	return control(f, VM_RAISE, args[0]);
}

enum fault subr_stop(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)args;
	(void)n;
	(void)out;
	return control(f, VM_STOP, 0);
}

enum fault subr_process_copy(struct firing *f, const uint64_t *args, unsigned n,
			     uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	int number = env->control ? env->control(env->ctx, VM_COPY, 0) : -1;

	(void)args;
	(void)n;
	if (number < 0)
		return FAULT_ILLOP;
	*out = (uint64_t)number;
	return FAULT_NONE;
}

/* Time goes on over it: what was read of the clocks before is forgotten. */
enum fault subr_chill(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	const uint64_t clocks = UINT64_C(1) << BUILTIN_timestamp |
				UINT64_C(1) << BUILTIN_vtimestamp |
				UINT64_C(1) << BUILTIN_walltimestamp;

	(void)n;
	(void)out;
	f->cached &= ~clocks;
	return control(f, VM_CHILL, args[0]);
}
