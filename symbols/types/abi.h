/* SPDX-License-Identifier: MIT */
/*
 * Calling conventions: where a function finds its parameters. One file for the native ABI
 * of each machine, and one for Go.
 */
#ifndef SYMBOLS_TYPES_ABI_H
#define SYMBOLS_TYPES_ABI_H

#include "symbols/types.h"

/* Sets passing and arg of each parameter of f, and result_passing, from their types. */
void abi_classify(struct module_types *mt, struct target_function *f);
/* The same for a function of Go; by is one of Go's conventions, or unknown. */
void abi_classify_go(struct module_types *mt, enum regs_convention by,
		     struct target_function *f);
/* Where a parameter that is passed in this way is at the first instruction, in C. */
void abi_where(const struct target_param *p, struct where *out);

#endif
