/* SPDX-License-Identifier: MIT */
/*
 * The calling convention: where a function finds its parameters.
 */
#ifndef SYMBOLS_TYPES_ABI_H
#define SYMBOLS_TYPES_ABI_H

#include "symbols/types.h"

/* Fills in passing and arg of every parameter, and result_passing. */
void calling_place(struct module_types *mt, struct target_function *f);

#endif
