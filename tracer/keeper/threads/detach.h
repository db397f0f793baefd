/* SPDX-License-Identifier: MIT */
/*
 * Lets go of a process: every thread stopped and put at an original address,
 * the journal undone in reverse (bytes, scratch memory), every thread
 * detached with the signals it was due.
 */
#ifndef TRACER_KEEPER_THREADS_DETACH_H
#define TRACER_KEEPER_THREADS_DETACH_H

#include "tracer/keeper/threads/core.h"

/*
 * Releases the process and all that share its memory, within two seconds. A
 * thread that does not stop in that time (it sleeps uninterruptibly in the
 * kernel) is detached at its next stop, before any user instruction.
 */
void detach_process(struct keeper *k, struct process *p);
/* A stop of a thread that detach_process() did not get: settle and detach. */
void detach_late(struct keeper *k, struct task *task, int status);
/* Every process: released, or killed if it was created. */
void detach_all(struct keeper *k);

#endif
