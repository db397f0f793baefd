/* SPDX-License-Identifier: MIT */
/*
 * The end of a thread, and with the last one of its process.
 */
#ifndef TRACER_KEEPER_THREADS_EXIT_H
#define TRACER_KEEPER_THREADS_EXIT_H

#include "tracer/keeper/threads/core.h"

/* waitpid has reported the thread's end with this status. Frees the task. */
void exit_event(struct keeper *k, struct task *task, int status);

#endif
