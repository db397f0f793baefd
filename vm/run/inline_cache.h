/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: the inline cache, for clauses that always do the same for a probe.
 *
 *	@[probefunc] = count();
 *
 * counts under a key that is the same at every firing of a probe. Such a clause
 * is marked CLAUSE_CONSTANT when the image is linked. Its first firing in a slot
 * runs as usual and stores in the slot's cache where the element is; the
 * next ones add one there. An entry is only a hint, and written by the slot's owner
 * alone: the element is checked like any other place in the block.
 */
#ifndef VM_RUN_INLINE_CACHE_H
#define VM_RUN_INLINE_CACHE_H

#include "vm/block/layout.h"
#include "vm/vm.h"

/* Adds one to the element that the cache names; false: run the clause. */
bool inline_cache_count(const struct vm *vm, struct slot *slot,
			const struct vm_probe *probe, uint32_t clause);
/* The clause counted at this offset of the slot's shard. */
void inline_cache_learn(struct slot *slot, const struct vm_probe *probe,
			uint32_t clause, uint64_t offset);
/*
 * Routines cache any update whose key is the same at every firing of a probe, or is one
 * integer. A place (INLINE_CACHE_PLACE | number of the instruction) then stands for the
 * clause, and the integer for the probe. They use the element's address, without a look
 * at what is there, while the stamp is that of native_call.
 */
#define INLINE_CACHE_PLACE UINT32_C(0x80000000)
/* In such a place: light routines find the element by native_call.learnt. */
#define INLINE_CACHE_FIRST UINT32_C(0x40000000)
struct inline_cache_element {
	uint64_t offset; /* in the shard */
	uint64_t address;
	uint32_t stamp;
};
void inline_cache_learn_element(struct slot *slot, uint64_t key, uint32_t place,
				const struct inline_cache_element *e);
/* The entry is (key * INLINE_CACHE_KEY + place * INLINE_CACHE_PLACES)'s highest bits. */
#define INLINE_CACHE_KEY    UINT32_C(0x9e3779b1)
#define INLINE_CACHE_PLACES UINT32_C(0x85ebca6b)

/*
 * The word that two are added to for one more update of a count() that this firing
 * would come to; NULL: none is known.
 */
_Atomic uint64_t *inline_cache_counter(const struct vm *vm, struct slot *slot,
				       const struct vm_probe *probe, uint32_t clause);

#endif
