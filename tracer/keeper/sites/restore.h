/* SPDX-License-Identifier: MIT */
/*
 * Restores text in which a killed keeper has left its detours, from the front's table:
 * where the process has no undo log (stale.h), or that proves nothing, because a file
 * cannot be read or the program had changed its code. The memory that the keeper mapped
 * stays mapped then: a thread may still run in it.
 */
#ifndef TRACER_KEEPER_SITES_RESTORE_H
#define TRACER_KEEPER_SITES_RESTORE_H

#include "tracer/keeper/threads/core.h"

/*
 * KEEPER_REQ_RESTORE; sent: struct keeper_restore[]. The threads run, and run on.
 * STATUS_BUSY: a thread could not be stopped; nothing is changed.
 */
int restore_process(struct keeper *k, struct process *p, struct link_memory sent,
		    struct err *e);

#endif
