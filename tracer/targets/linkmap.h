/* SPDX-License-Identifier: MIT */
/*
 * The loader's link maps: dlmopen(3) makes further ones, in which a library is loaded
 * that may be loaded in others too.
 */
#ifndef TRACER_TARGETS_LINKMAP_H
#define TRACER_TARGETS_LINKMAP_H

#include "symbols/symbols.h"

struct target;

/*
 * Gives those of the modules that are in another link map than that of the start their
 * names: LM1`libfoo.so. The target is stopped, or its loader at rest.
 */
void linkmap_name_modules(const struct target *target, const struct modules *ms);

/* Whether the loader has finished what it was doing (RT_CONSISTENT), in all of them. */
bool linkmap_is_consistent(const struct target *target);

#endif
