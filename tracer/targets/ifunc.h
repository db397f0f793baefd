/* SPDX-License-Identifier: MIT */
/*
 * Functions of which one of several variants is chosen when a program starts: strlen() by
 * what the processor has.
 *
 * The symbol of such a function (STT_GNU_IFUNC) is the address of its resolver, which no
 * code calls by that name. The addresses of all variants are in the resolver's code; only
 * the chosen one is called.
 */
#ifndef TRACER_TARGETS_IFUNC_H
#define TRACER_TARGETS_IFUNC_H

#include "symbols/symbols.h"

struct target;

/*
 * Calls found() once for each variant. Returns how many there are; 0 if none can be found
 * in the resolver's code.
 */
size_t ifunc_choices(const struct target *target, const struct module *m,
		     const struct symbol *ifunc,
		     void (*found)(void *ctx, const struct symbol *s), void *ctx);

/* The variant that the loader has chosen already, and the object that has it, or NULL. */
const struct symbol *ifunc_chosen(const struct target *target, const struct module *m,
				  const struct symbol *ifunc, struct module **owner);

#endif
