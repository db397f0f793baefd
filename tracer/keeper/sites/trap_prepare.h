/* SPDX-License-Identifier: MIT */
/*
 * A process gets our SIGTRAP handler (inject/trap_handler.h) before it gets sites, and
 * its threads let that signal through: the kernel would take the handler away where a
 * thread that blocks SIGTRAP runs into a breakpoint.
 *
 * A process of -c has none: the kernel kills it with the keeper. Nor has one with a
 * seccomp filter that cannot be suspended, or that has its system calls sent to itself.
 */
#ifndef TRACER_KEEPER_SITES_TRAP_PREPARE_H
#define TRACER_KEEPER_SITES_TRAP_PREPARE_H

#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/inject/trap_handler.h"

/*
 * Before so many sites and detours are set. STATUS_GONE: the process has died or called
 * exec. Any other failure leaves it without handler, and is none of the sites'.
 */
int trap_prepare(struct keeper *k, struct process *p, const struct undo_need *need);

#endif
