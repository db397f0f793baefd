/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/run: self-> variables of integer type. Only their thread's firings use
 * such an element, so it needs no claim once it is there. It stays in its chain until the
 * thread ends: 0 in it means that the variable is unset, and that the element is not
 * counted against dynvarsize. A slot remembers where those of its thread are.
 *
 * The cells that unset variables keep are spare ones (OWN_ELEMENTS_MAX); when these are
 * in use, another variable gets an element like any other, freed when it is set to 0.
 */
#ifndef VM_RUN_OWN_CELL_H
#define VM_RUN_OWN_CELL_H

#include "vm/run/cell.h"
#include "vm/vm.h"

static inline bool own_cell_is_for(const struct vm *vm, const struct program_var *v)
{
	return v->scope == SCOPE_SELF && v->value.kind == KIND_INT && vm->thread;
}

/* The element if the slot remembers it, else NULL. */
struct cell *own_cell_remembered(const struct vm *vm, uint32_t var);
/* The same, or where the table has it; NULL: there is none. Without a claim. */
struct cell *own_cell_find(const struct vm *vm, const struct dynkey *k);
/*
 * Makes an element of the value, which is not 0, under the claim of its bucket. False:
 * there is no room, or there is an element of the other kind.
 */
bool own_cell_make(const struct vm *vm, const struct dynkey *k, uint64_t value);

uint64_t own_cell_value(const struct cell *c);
/* Sets the value; nominal: bytes of the element. No room for it is counted as a drop. */
void own_cell_set(const struct vm *vm, struct cell *c, uint64_t nominal,
		  uint64_t value);

/* The element is about to be freed: whether it was counted against dynvarsize. */
bool own_cell_release(struct state *s, struct cell *c);

#endif
