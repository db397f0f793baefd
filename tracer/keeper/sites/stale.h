/* SPDX-License-Identifier: MIT */
/*
 * What a run that was killed, dtrace and keeper, has left in a process: its undo log
 * (hook/undo_log.h) tells. The process may have written that log itself: each word is a
 * claim. Code of a file gets bytes of that file only, and other memory is written or
 * unmapped only if the process's own private memory names the log.
 */
#ifndef TRACER_KEEPER_SITES_STALE_H
#define TRACER_KEEPER_SITES_STALE_H

#include "tracer/keeper/threads/core.h"

/*
 * Of a process that has just been seized: writes the program's own bytes where ours
 * stand, lowers semaphores, sets the program's own action of SIGTRAP and unmaps memory.
 * What cannot be done is left; our handler there goes on to serve it. STATUS_BUSY: its
 * threads could not be stopped. STATUS_GONE: the process has died.
 */
int stale_restore(struct keeper *k, int pid);

#endif
