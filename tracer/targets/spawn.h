/* SPDX-License-Identifier: MIT */
/*
 * How tracing of a process begins: -c starts it, -p and descriptions attach to it.
 */
#ifndef TRACER_TARGETS_SPAWN_H
#define TRACER_TARGETS_SPAWN_H

#include "tracer/base/core.h"

/* -c: starts the command held at its first moment with all libraries mapped. */
int spawn_command(struct tracer *t, const char *command, struct err *e);
/* -p, or a process named by a probe description. */
int spawn_grab(struct tracer *t, int pid, bool is_named, struct err *e);

#endif
