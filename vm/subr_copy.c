/* SPDX-License-Identifier: MIT */
/*
 * copyin() and copyinstr(): target memory into scratch.
 */
#include "vm/firing.h"

enum fault subr_copyin(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	taddr from = taddr_of(args[0]), bad = from;
	uint32_t at;

	(void)n;
	if (!scratch_take(f, args[1], &at))
		return FAULT_NOSCRATCH;
	if (args[1] && env->read(env->ctx, from, f->slot->scratch + at, args[1], &bad))
		return firing_bad_address(f, bad.v);
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

enum fault subr_copyinstr(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	taddr from = taddr_of(args[0]), bad = from;
	uint64_t most = min_u64(f->strsize - 1, n > 1 ? args[1] : UINT64_MAX);
	int64_t len = 0;
	uint32_t at;
	char *text;

	if (!scratch_take(f, most + 1, &at))
		return FAULT_NOSCRATCH;
	text = (char *)f->slot->scratch + at;
	if (most)
		len = env->read_str(env->ctx, from, text, most, &bad);
	if (len < 0)
		return firing_bad_address(f, bad.v);
	if ((uint64_t)len > most)
		len = (int64_t)most;
	text[len] = '\0';
	f->scratch_used = at + (uint32_t)len + 1;
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}
