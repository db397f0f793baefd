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
 * Marks the modules that a link map has (is_listed), and names those that are not in the
 * first: LM1`libfoo.so. The target is stopped, or its loader is not active. False if a
 * list does not end, or has more objects than the process has mappings: then the rest of
 * it is ignored.
 */
bool linkmap_name_modules(const struct target *target, const struct modules *ms);

/* Whether no link map is being changed (RT_CONSISTENT). */
bool linkmap_is_consistent(const struct target *target);

/* ---- objects that no link map has yet ---- */

/*
 * glibc maps an object, then puts it into a list, then announces it: only the list tells
 * to which link map it belongs, and by that what its probes are called. So a new object
 * without a list waits for a while in a process that has further link maps. What nobody
 * lists is code that was mapped without the loader: it gets its probes then.
 */

/*
 * Whether a new object is to wait: only in an active target. own: what the process has
 * mapped itself, beside its loader, or NULL; that does not wait.
 */
bool linkmap_unlisted_add(struct target *target, const struct module *m,
			  const struct addr_range *own);
/*
 * For an object that waits; now is the same one as it was read just now, own is as above:
 * the object may have been seen before that call was noticed. False: it waits on. True:
 * it has got its name, if it has one, and waits no more.
 */
bool linkmap_unlisted_settle(struct target *target, struct module *m,
			     const struct module *now, const struct addr_range *own);
/* Whether the object waits: it has no probes yet. */
bool linkmap_unlisted_has(const struct target *target, const struct module *m);
/* The object has gone. */
void linkmap_unlisted_forget(struct target *target, const struct module *m);

#endif
