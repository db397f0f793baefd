/* SPDX-License-Identifier: MIT */
/*
 * A process that calls exec: it becomes a traced process with a new, empty space, or is
 * detached.
 */
#ifndef TRACER_KEEPER_THREADS_EXEC_H
#define TRACER_KEEPER_THREADS_EXEC_H

#include "tracer/keeper/threads/core.h"

/* The thread's exec event. Afterwards it is held, or detached and freed. */
void exec_event(struct keeper *k, struct task *task);
/*
 * The thread is stopped at a system call. True: it was about to execute a program that
 * gives it privileges, and has been detached and freed. Else it is not resumed.
 */
bool exec_detach_privileged(struct keeper *k, struct task *task);

#endif
