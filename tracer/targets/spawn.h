/* SPDX-License-Identifier: MIT */
/*
 * How tracing of a process begins: -c starts it, -p and descriptions attach to it.
 */
#ifndef TRACER_TARGETS_SPAWN_H
#define TRACER_TARGETS_SPAWN_H

#include "tracer/base/core.h"

/*
 * -c: starts the command, and waits until it is held at the moment that the option
 * evaltime names. e->text is the reason alone.
 */
int spawn_command(struct tracer *t, const char *command, struct err *e);
/* The same for its words, which end in NULL. */
int spawn_words(struct tracer *t, char *const *words, struct err *e);
/* -p, or a process that a probe description names (is_named false). It runs on. */
int spawn_grab(struct tracer *t, int pid, bool is_named, struct err *e);

#endif
