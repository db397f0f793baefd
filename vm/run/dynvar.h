/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: dynamic variables outside a firing.
 */
#ifndef VM_RUN_DYNVAR_H
#define VM_RUN_DYNVAR_H

#include "vm/vm.h"

/* Frees every element that belongs to the thread, under claims of the slot. */
void dynvar_forget_thread(struct state *s, const void *image, uint32_t slot,
			  uint64_t thread);

struct dynvar_key {
	const void *bytes; /* the tuple */
	uint32_t size;
};

/* A variable of integer type, as LDD and STD of the machine do it. */
uint64_t dynvar_load_integer(const struct vm *vm, uint32_t var, struct dynvar_key key);
void dynvar_store_integer(const struct vm *vm, uint32_t var, struct dynvar_key key,
			  uint64_t value);

#endif
