/* SPDX-License-Identifier: MIT */
/*
 * Detaches a process: stops every thread at an original address, restores the text,
 * unmaps our memory, and detaches every thread with the signals that it was due.
 */
#ifndef TRACER_KEEPER_THREADS_DETACH_H
#define TRACER_KEEPER_THREADS_DETACH_H

#include "tracer/keeper/threads/core.h"

/*
 * Detaches the process and all that share its memory, within two seconds; frees them. A
 * thread that does not stop in that time (it sleeps uninterruptibly in the kernel) stays,
 * with task.is_leaving, and is detached at its next stop, before any user instruction. If
 * patience with the space ends on the way, all is left for abandon_lost().
 */
void detach_process(struct keeper *k, struct process *p);
/*
 * All is to be detached: from now on all waits together take 1.5 s, and 0.4 s more for
 * each address space after those that used this up. Until waits.hurry is set otherwise.
 */
void detach_hurry(struct keeper *k);
/*
 * Detaches all processes; but_created: not those that the front started. A process that
 * is still here after that is left for abandon_lost(), not tried again.
 */
void detach_each(struct keeper *k, bool but_created);
/* The next stop, of this status, of a thread with is_leaving: settles and detaches it. */
void detach_late(struct keeper *k, struct task *task, int status);
/*
 * All processes, within three seconds: detached, left for abandon_lost(), or killed if
 * the front started them. Threads that sleep in the kernel have is_leaving.
 */
void detach_all(struct keeper *k);

#endif
