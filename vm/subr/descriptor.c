/* SPDX-License-Identifier: MIT */
/*
 * What is known of a file descriptor of the process that fired: fds[] of the standard
 * library is made of these.
 */
#include "vm/base/str.h"
#include "vm/run/journal.h"
#include "vm/subr/text.h"

#define NUMBERS_MAX INT32_MAX /* no descriptor is larger */

static bool is_known(const struct firing *f, const uint64_t *args)
{
	return f->vm->env.descriptor && args[1] <= UINT32_MAX;
}

/* Other numbers are those of no descriptor. */
static int number_of(uint64_t fd)
{
	return fd <= NUMBERS_MAX || fd == (uint64_t)DESCRIPTOR_OF_REQUEST ? (int)fd
									  : -1;
}

/* args may be overwritten by the result. */
static uint64_t key_of(const uint64_t *args)
{
	return (uint64_t)(uint32_t)number_of(args[0]) << 32 | (uint32_t)args[1];
}

enum fault subr_fd_number(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	const uint64_t key = key_of(args);

	(void)n;
	if (!is_known(f, args))
		return FAULT_ILLOP;
	*out = (uint64_t)env->descriptor(env->ctx, number_of(args[0]),
					 (uint32_t)args[1], NULL, 0);
	journal_note(f, JOURNAL_DESCRIPTOR, key, out, sizeof(*out));
	return FAULT_NONE;
}

enum fault subr_fd_text(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	const uint64_t key = key_of(args);
	struct text_new t;
	enum fault fault;

	(void)n;
	if (!is_known(f, args))
		return FAULT_ILLOP;
	fault = text_begin(f, f->strsize, &t);
	if (fault != FAULT_NONE)
		return fault;
	env->descriptor(env->ctx, number_of(args[0]), (uint32_t)args[1], t.s,
			t.cap + 1);
	t.len = (uint32_t)str_len(t.s, t.cap);
	journal_note(f, JOURNAL_DESCRIPTOR, key, t.s, t.len);
	*out = text_end(f, &t);
	return FAULT_NONE;
}
