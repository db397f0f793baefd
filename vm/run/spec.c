/* SPDX-License-Identifier: MIT */
/*
 * speculation(), speculate(), commit() and discard(). What is recorded while
 * speculating goes into the slot's ring as everything does, under the
 * speculation's name; the consumer keeps it back until it comes to the record of
 * commit() or discard().
 */
#include "vm/block/spec.h"
#include "vm/run/firing.h"

#define IN_USE 1u

struct spec_used *spec_used(const struct state *s, struct slot *slot, uint64_t spec)
{
	struct spec_used *all = (void *)((unsigned char *)slot + s->slot_specs_at);
	struct spec_used *used = &all[spec_number(spec) - 1];

	if (used->generation != spec_generation(spec))
		*used = (struct spec_used){.generation = spec_generation(spec)};
	return used;
}

enum fault subr_speculation(struct firing *f, const uint64_t *args, unsigned n,
			    uint64_t *out)
{
	const struct state *s = f->vm->state;

	(void)args;
	(void)n;
	for (uint32_t number = 1; number <= s->config.nspec; number++) {
		_Atomic uint64_t *word = spec_word(s, number);
		uint64_t old = atomic_load_explicit(word, memory_order_relaxed);

		if (!(old & IN_USE) &&
		    atomic_compare_exchange_strong_explicit(word, &old, old | IN_USE,
							    memory_order_acq_rel,
							    memory_order_relaxed)) {
			*out = number;
			return FAULT_NONE;
		}
	}
	layout_count(&f->slot->drops.specs_unavailable);
	*out = 0;
	return FAULT_NONE;
}

/*
 * Whether the argument is no number that speculation() can have given out. 0 is one: that
 * there was none.
 */
static bool is_foreign(const struct firing *f, uint64_t arg)
{
	int64_t number = (int32_t)arg;

	return number < 0 || number > (int64_t)f->vm->state->config.nspec;
}

/* The word of an argument; NULL for a number that no speculation has. */
static _Atomic uint64_t *word_of(const struct firing *f, uint64_t arg)
{
	if (!(uint32_t)arg || is_foreign(f, arg))
		return NULL;
	return spec_word(f->vm->state, (uint32_t)arg);
}

/* The name under which number arg is in use now; 0: it is not. */
static uint64_t name_of(_Atomic uint64_t *word, uint64_t arg)
{
	uint64_t now = word ? atomic_load_explicit(word, memory_order_acquire) : 0;

	return now & IN_USE ? (now & ~UINT64_C(0xffffffff)) | (uint32_t)arg : 0;
}

/* *out: whether there is a place for what the clause records. Without one it ends. */
enum fault subr_speculate(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	uint64_t spec = name_of(word_of(f, args[0]), args[0]);

	(void)n;
	if (is_foreign(f, args[0]))
		return FAULT_ILLOP;
	*out = record_speculate(f, spec);
	return FAULT_NONE;
}

/* Ends the speculation; its name, 0 if somebody else did or it was none. */
static uint64_t end(const struct firing *f, uint64_t arg)
{
	_Atomic uint64_t *word = word_of(f, arg);
	uint64_t old, next;

	if (!word)
		return 0;
	old = atomic_load_explicit(word, memory_order_relaxed);
	next = ((old >> 32) + 1) << 32;
	if (!(old & IN_USE) ||
	    !atomic_compare_exchange_strong_explicit(
		    word, &old, next, memory_order_acq_rel, memory_order_relaxed))
		return 0;
	return (old & ~UINT64_C(0xffffffff)) | (uint32_t)arg;
}

enum fault subr_commit(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	uint64_t spec;

	(void)n;
	if (is_foreign(f, args[0]))
		return FAULT_ILLOP;
	/* Before the number can be given out again: records sort by it. */
	builtin_clock(f);
	spec = end(f, args[0]);
	if (spec)
		f->record.committed = spec;
	*out = 0;
	return FAULT_NONE;
}

enum fault subr_discard(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	uint64_t spec = end(f, args[0]);

	(void)n;
	if (is_foreign(f, args[0]))
		return FAULT_ILLOP;
	*out = 0;
	/* An earlier one of the clause is forgotten when its number is used again. */
	if (spec)
		f->record.discarded = spec;
	return FAULT_NONE;
}
