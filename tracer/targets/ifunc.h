/* SPDX-License-Identifier: MIT */
/*
 * Functions that are chosen when a program starts: strlen() by what the processor has.
 *
 * The symbol of one (STT_GNU_IFUNC) leads to its resolver, which nobody calls by that
 * name. All that the resolver may choose stand in its code, and only the chosen one is
 * ever called.
 */
#ifndef TRACER_TARGETS_IFUNC_H
#define TRACER_TARGETS_IFUNC_H

#include "symbols/symbols.h"

struct target;

/*
 * Calls found() for each function that the ifunc may stand for, once. Returns how many
 * there are; 0 when the resolver's code does not tell.
 */
size_t ifunc_choices(const struct target *target, const struct module *m,
		     const struct symbol *ifunc,
		     void (*found)(void *ctx, const struct symbol *s), void *ctx);

#endif
