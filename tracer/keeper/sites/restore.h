/* SPDX-License-Identifier: MIT */
/*
 * Restores text in which a killed keeper has left its detours. The memory that it mapped
 * stays mapped: a thread may still run in it, and the data needed to move it out is lost.
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
