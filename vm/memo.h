/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: clauses whose whole effect is known per probe.
 *
 *	@[probefunc] = count();
 *
 * counts under a key that is the same at every firing of a probe. Such a clause
 * is marked CLAUSE_CONSTANT when the image is linked. Its first firing in a slot
 * goes the long way and leaves in the slot's memo where the element is; the
 * next ones add one there. A memo is only a hint, and written by the slot's owner
 * alone: the element is checked like any other place in the block.
 */
#ifndef VM_MEMO_H
#define VM_MEMO_H

#include "vm/layout.h"
#include "vm/vm.h"

/* Adds one to the element that the memo knows; false: go the long way. */
bool memo_count(const struct vm *vm, struct slot *slot, const struct vm_probe *probe,
		uint32_t clause);
/* The clause counted at this offset of the slot's shard. */
void memo_learn(struct slot *slot, const struct vm_probe *probe, uint32_t clause,
		uint64_t offset);

/*
 * Whether the clause is straight code that makes one tuple, of constants, and
 * counts under it. Its code must be verified.
 */
bool program_is_constant(const void *image, const struct program_clause *clause);

/*
 * The word that two are added to for one more update of a count() that this firing
 * would come to; NULL: none is known.
 */
_Atomic uint64_t *memo_counter(const struct vm *vm, struct slot *slot,
			       const struct vm_probe *probe, uint32_t clause);

/* agg.c: the same at the offset; NULL: it is no element, or must be reset. */
struct shard;
_Atomic uint64_t *agg_counter(const struct shard *h, const void *image,
			      uint64_t offset);

#endif
