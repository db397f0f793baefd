/* SPDX-License-Identifier: MIT */
/*
 * The loader's link maps. dlmopen(3) makes further ones; a library may be loaded in
 * several of them.
 */
#ifndef TRACER_TARGETS_LINKMAP_H
#define TRACER_TARGETS_LINKMAP_H

#include "symbols/symbols.h"

struct target;

/*
 * Names the modules that are not in the first link map: LM1`libfoo.so. The target is
 * stopped, or its loader is not active. False if a list does not end, or has more
 * objects than the process has mappings: then the rest of it is ignored.
 */
bool linkmap_name_modules(const struct target *target, const struct modules *ms);

/* Whether no link map is being changed (RT_CONSISTENT). */
bool linkmap_is_consistent(const struct target *target);

#endif
