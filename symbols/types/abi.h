/* SPDX-License-Identifier: MIT */
/*
 * Calling conventions: where a function finds its parameters. One file for the native ABI
 * of each machine, and one for Go.
 */
#ifndef SYMBOLS_TYPES_ABI_H
#define SYMBOLS_TYPES_ABI_H

#include "symbols/types.h"

/*
 * Sets how each parameter of f and its result are passed, from their types. A parameter
 * that has PASSED_ADDRESS before is known to be passed so.
 */
void abi_classify(struct module_types *mt, struct target_function *f);
/* The same for functions of Rust; what is passed as rustc likes is unknown. */
void abi_classify_rust(struct module_types *mt, struct target_function *f);
/* The same for a function of Go; by is one of Go's conventions, or unknown. */
void abi_classify_go(struct module_types *mt, enum regs_convention by,
		     struct target_function *f);
/*
 * Where a parameter that is passed in this way is at the first instruction, or a result
 * when the function returns, in C.
 */
void abi_where(const struct target_param *p, bool is_result, struct where *out);

#endif
