/* SPDX-License-Identifier: MIT */
/*
 * The calling convention of the native ABI: where a function finds its parameters. One
 * file for each machine.
 */
#ifndef SYMBOLS_TYPES_ABI_H
#define SYMBOLS_TYPES_ABI_H

#include "symbols/types.h"

/* Sets passing and arg of each parameter of f, and result_passing, from their types. */
void abi_classify(struct module_types *mt, struct target_function *f);

#endif
