/* SPDX-License-Identifier: MIT */
/*
 * Restores the text of targets after the keeper was killed. Breakpoints kill a process
 * without a tracer, so dtrace itself writes the original bytes at once. Jumps are
 * harmless: their stubs no longer fire; another keeper removes them.
 */
#ifndef TRACER_TARGETS_KEEPER_DEATH_H
#define TRACER_TARGETS_KEEPER_DEATH_H

#include "tracer/targets/target.h"

/* Remembers the original bytes of the sites that are about to be sent. */
void keeper_death_save(struct target *target);
/* Forgets what was in a range that has been unmapped. */
void keeper_death_forget(struct target *target, struct addr_range r);
/* Writes the original bytes back where breakpoints are. The targets count as gone. */
void keeper_death_restore_breakpoints(struct tracer *t);
/* Starts a keeper for each process that has jumps, to remove them. Prints a failure. */
void keeper_death_restore_jumps(struct tracer *t);
/* A keeper that is stopped tells of no death: it is continued once all targets have
 * ended. */
void keeper_wake_for_dead(const struct tracer *t);

#endif
