/* SPDX-License-Identifier: MIT */
/*
 * Our handler of SIGTRAP in a process (hook/trap/), and the undo log that it reads. With
 * them the process survives the death of the keeper: a thread that runs into a breakpoint
 * that is left restores it, instead of dying. A stopped thread makes the system calls
 * (remote_call.h); the others may run.
 */
#ifndef TRACER_KEEPER_INJECT_TRAP_HANDLER_H
#define TRACER_KEEPER_INJECT_TRAP_HANDLER_H

#include "tracer/keeper/inject/injection.h"
#include "tracer/keeper/undo/undo_log.h"

/* How many entries the undo log is to have room for. */
struct undo_need {
	uint32_t sites, detours;
};

/* Whether the log of the space must be mapped, or grow. */
bool trap_handler_is_needed(const struct space *s, const struct undo_need *need);
/*
 * Maps both, and sets the action of SIGTRAP, unless that is done; makes room in the log.
 * 0, or a status; STATUS_GONE. What failed is not tried again in this space.
 */
int trap_handler_install(const struct injection *in, const struct undo_need *need);

/*
 * Sets the action again, if the program, or a breakpoint in a thread that blocked
 * SIGTRAP, has changed it. What the program has set since is its own action from now on.
 */
void trap_handler_renew(struct remote_call *r, struct space *s);
/*
 * The program's own action is set again, if ours is in effect. For a fork child too: r is
 * of it, s its parent's. The memory stays mapped.
 */
void trap_handler_remove(struct remote_call *r, const struct space *s);
/*
 * The same by its parts: if the action in effect has the handler ours, own takes its
 * place. scratch: memory that the process can write to, for a struct trap_action.
 */
void trap_handler_put_back(struct remote_call *r, taddr scratch, uint64_t ours,
			   const struct trap_action *own);

#endif
