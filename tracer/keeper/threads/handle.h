/* SPDX-License-Identifier: MIT */
/*
 * Serves one stop of a thread: classifies it (os/stop.h) and does what it means. The
 * thread runs, listens, is held, detached or gone afterwards. A thread that dies on the
 * way is left for its exit status to report.
 */
#ifndef TRACER_KEEPER_THREADS_HANDLE_H
#define TRACER_KEEPER_THREADS_HANDLE_H

#include "tracer/keeper/threads/core.h"

/* tid and status as waitpid(2) reported them. */
void handle_stop(struct keeper *k, int tid, int status);

#endif
