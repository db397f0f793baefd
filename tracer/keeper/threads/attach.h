/* SPDX-License-Identifier: MIT */
/*
 * KEEPER_REQ_SEIZE: begins tracing every thread of a process without stopping it.
 */
#ifndef TRACER_KEEPER_THREADS_ATTACH_H
#define TRACER_KEEPER_THREADS_ATTACH_H

#include "tracer/keeper/threads/core.h"
#include "vm/base/host/err.h"

/* On failure nothing is left attached; the text is the reason alone. */
int attach_process(struct keeper *k, int pid, bool is_created, struct err *e);

#endif
