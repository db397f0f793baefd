/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: dynamic variables outside a firing.
 */
#ifndef VM_RUN_DYNVAR_H
#define VM_RUN_DYNVAR_H

#include "vm/state.h"

/* Frees every element that belongs to the thread, under claims of the slot. */
void dynvar_forget_thread(struct state *s, const void *image, uint32_t slot,
			  uint64_t thread);

#endif
