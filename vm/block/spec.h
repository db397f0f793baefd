/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: speculations. The word of number n in the shared part says whether
 * it is in use, and how often it was given out before:
 *
 *	generation << 32 | is in use
 *
 * A speculation's name is generation << 32 | number (record.spec). Ending it raises
 * the generation, so the number is free at once: what was recorded under the old
 * name cannot be taken for the new one's.
 */
#ifndef VM_BLOCK_SPEC_H
#define VM_BLOCK_SPEC_H

#include "vm/block/layout.h"

#define SPEC_MAX 65536u /* numbers */

static inline uint32_t spec_number(uint64_t spec)
{
	return (uint32_t)spec;
}

static inline uint32_t spec_generation(uint64_t spec)
{
	return (uint32_t)(spec >> 32);
}

/* What a slot has recorded into a number; of the owner. */
struct spec_used {
	uint32_t generation, pad;
	uint64_t bytes;
};

static inline _Atomic uint64_t *spec_word(const struct state *s, uint32_t number)
{
	return (_Atomic uint64_t *)layout_at(s, s->specs_at) + (number - 1);
}

/* number: from 1 to nspec. */
struct spec_used *spec_used(const struct state *s, struct slot *slot, uint64_t spec);

#endif
