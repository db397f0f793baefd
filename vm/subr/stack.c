/* SPDX-License-Identifier: MIT */
/*
 * Stacks and symbols as data: what the consumer needs to name them. Each is fixed in
 * size and zero after its end, so that equal ones are equal keys.
 */
#include "vm/base/bytes.h"
#include "vm/base/str.h"
#include "vm/run/journal.h"
#include "vm/subr/text.h"

#define PYTHON_FRAMES 100 /* if their number is not given */

typedef uint32_t walk_fn(void *ctx, uint64_t *pcs, uint32_t n);

/* The process, then frames words: zero from the end of the stack on. */
static enum fault take_stack(struct firing *f, uint64_t frames, walk_fn *walk,
			     uint64_t *out)
{
	uint64_t *words, *pcs, found = 0;
	uint32_t at;

	if (!frames || frames > PROGRAM_FRAMES_MAX)
		return FAULT_ILLOP;
	if (!scratch_take(f, (frames + 1) * sizeof(*words), &at))
		return FAULT_NOSCRATCH;
	words = (uint64_t *)(void *)(f->slot->scratch + at);
	words[0] = f->vm->pid;
	pcs = words + 1;
	if (walk)
		found = min_u64(walk(f->vm->env.ctx, pcs, (uint32_t)frames), frames);
	bytes_zero(pcs + found, (frames - found) * sizeof(*pcs));
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

enum fault subr_stack(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)n;
	return take_stack(f, args[0], f->vm->env.kernel_stack, out);
}

enum fault subr_ustack(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	(void)n;
	return take_stack(f, args[0], f->vm->env.stack, out);
}

enum fault subr_jstack(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	return subr_ustack(f, args, n, out);
}

enum fault subr_pystack(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	uint64_t frames = n ? args[0] : PYTHON_FRAMES;
	struct text_new t;
	enum fault fault;

	if (!env->python || !frames || frames > PROGRAM_FRAMES_MAX)
		return FAULT_ILLOP;
	fault = text_begin(f, f->strsize, &t);
	if (fault != FAULT_NONE)
		return fault;
	env->python(env->ctx, t.s, t.cap + 1, (uint32_t)frames);
	t.len = (uint32_t)str_len(t.s, t.cap);
	journal_note(f, JOURNAL_PYTHON, frames, t.s, t.len);
	*out = text_end(f, &t);
	return FAULT_NONE;
}

static enum fault make_address(struct firing *f, uint64_t pid, uint64_t address,
			       uint64_t *out)
{
	uint64_t *words;
	uint32_t at;

	if (!scratch_take(f, 2 * sizeof(*words), &at))
		return FAULT_NOSCRATCH;
	words = (uint64_t *)(void *)(f->slot->scratch + at);
	words[0] = pid;
	words[1] = address;
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

/* How an address is shown is not its value's but its field's affair. */
#define KERNEL_ADDRESS(name)                                                           \
	enum fault subr_##name(struct firing *f, const uint64_t *args, unsigned n,     \
			       uint64_t *out)                                          \
	{                                                                              \
		(void)n;                                                               \
		return make_address(f, 0, args[0], out);                               \
	}
#define USER_ADDRESS(name)                                                             \
	enum fault subr_##name(struct firing *f, const uint64_t *args, unsigned n,     \
			       uint64_t *out)                                          \
	{                                                                              \
		(void)n;                                                               \
		return make_address(f, f->vm->pid, args[0], out);                      \
	}

KERNEL_ADDRESS(sym)
KERNEL_ADDRESS(func)
KERNEL_ADDRESS(mod)
USER_ADDRESS(usym)
USER_ADDRESS(ufunc)
USER_ADDRESS(uaddr)
USER_ADDRESS(umod)
