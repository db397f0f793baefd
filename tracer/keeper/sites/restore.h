/* SPDX-License-Identifier: MIT */
/*
 * Puts text back that another keeper, which was killed, left with its jumps. What that
 * had mapped stays: a thread may stand in it, and nobody knows any more the way out.
 */
#ifndef TRACER_KEEPER_SITES_RESTORE_H
#define TRACER_KEEPER_SITES_RESTORE_H

#include "tracer/keeper/threads/core.h"

/*
 * KEEPER_REQ_RESTORE. STATUS_BUSY when a thread could not be stopped: nothing is
 * changed.
 */
int restore_process(struct keeper *k, struct process *p, struct sent sent,
		    struct err *e);

#endif
