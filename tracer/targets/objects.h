/* SPDX-License-Identifier: MIT */
/*
 * The objects that are mapped in a target: the program, its libraries, and what it
 * loads later.
 */
#ifndef TRACER_TARGETS_OBJECTS_H
#define TRACER_TARGETS_OBJECTS_H

#include "tracer/targets/target.h"

/*
 * Reads what is mapped in a target without modules, and adds a hold site at the loader's
 * rendezvous. Sends it if the target is held.
 */
int objects_read(struct tracer *t, struct target *target, struct err *e);
/* Applies the run's specifiers to every object that is mapped, and sends the sites. */
void objects_apply_all(struct tracer *t, struct target *target);
/*
 * Loads the functions of an object, which another one of the same file shares with it.
 * The errors of module_load_symbols().
 */
int objects_load_symbols(const struct tracer *t, struct module *m, struct err *e);
/* The same. False: a message says why not, unless the process has ended. */
bool objects_have_symbols(const struct tracer *t, struct module *m);
/* Adds and sends a hold site at main(); false if the program has none. */
bool objects_hold_main(struct tracer *t, struct target *target);
/*
 * Reads the maps again. Applies the run's specifiers to new objects if the target is
 * active, but for those that wait (linkmap.h); makes the keeper forget sites in objects
 * that have gone. own: what the process has just mapped itself, or NULL. Changes nothing
 * once dtrace is interrupted.
 */
int objects_refresh(struct tracer *t, struct target *target,
		    const struct addr_range *own, struct err *e);
/*
 * Looks for sites in the range that the target has mapped something over. If that is the
 * same object again, its probes get sites again, which are not sent yet. False: all
 * stand.
 */
bool objects_renew_lost(struct tracer *t, struct target *target,
			struct addr_range range);

#endif
