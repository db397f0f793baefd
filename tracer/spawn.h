/* SPDX-License-Identifier: MIT */
/*
 * How a target begins: started by -c or attached to by -p, and what is mapped
 * in it. Used by target.c only.
 */
#ifndef TRACER_SPAWN_H
#define TRACER_SPAWN_H

#include "tracer/target.h"

/*
 * Reads what is mapped and finds the loader's rendezvous; adds the site that
 * reports it and sends it.
 */
int spawn_map_image(struct tracer *t, struct target *target, struct err *e);
/*
 * A child that the keeper follows: held, with the probes of its family to come. Its
 * memory is not yet known.
 */
struct target *spawn_follow(struct tracer *t, int pid, int family);
/* Applies the run's specifiers to every object that is mapped, and sends the sites. */
void spawn_apply_all(struct tracer *t, struct target *target);
/* Adds and sends a hold site at main(); false if the program has none. */
bool spawn_hold_main(struct tracer *t, struct target *target);
/*
 * Reads the maps again. Applies the run's specifiers to new objects if the
 * target is active; makes the keeper forget sites in objects that have gone.
 */
int spawn_refresh_modules(struct tracer *t, struct target *target, struct err *e);

#endif
