/* SPDX-License-Identifier: MIT */
/*
 * New threads and processes. A child may stop before the event of its parent tells what
 * it is. A fork child is cleaned before it runs one instruction, then followed
 * (space.family) or detached: it gets the program's own bytes as soon as its parent's
 * event tells of it, which may be long before it stops. A child that shares the memory
 * without being a thread (vfork) is kept until it calls exec or exits, or is about to
 * execute a program that would not gain its privileges while it is traced
 * (privileged_exec.h).
 */
#ifndef TRACER_KEEPER_THREADS_CHILD_H
#define TRACER_KEEPER_THREADS_CHILD_H

#include "tracer/keeper/space/remote_call.h"
#include "tracer/keeper/threads/core.h"

/* The parent's clone, fork or vfork event. The parent is not resumed. */
void child_event(struct keeper *k, struct task *parent);
/*
 * What of that event cannot wait, in an all-stop, when the event is still to be handled:
 * the child is known, and has the program's own bytes.
 */
void child_meet(struct keeper *k, struct task *parent);
/*
 * The same for all threads of the space whose events have not been read yet. To be called
 * before it is forgotten what of ours is, or was, in the space: children have copies.
 */
void child_meet_all(struct keeper *k, const struct space *space);
/*
 * The first stop of a task whose process is known. True: the thread is not resumed, the
 * stop is to be handled as any other. False: it is held, detached (and freed) or dead.
 */
bool child_first_stop(struct keeper *k, struct task *task, int status);
/*
 * The process has called exec, which killed its other threads: children that they have
 * made, and that no event tells of any more, are fork children of the space that it has
 * left, which is still the process's.
 */
void child_adopt_untold(struct keeper *k, struct process *p);
/*
 * Adopts the EARLY tasks whose parent died before its event named them: cleaned as
 * fork children. Their memory tells which process they were copied from. is_idle: also
 * those whose new parent is traced and makes no child; it takes longer.
 */
void child_adopt_orphans(struct keeper *k, bool is_idle);
/*
 * Before the end of a process of a followed family is reported: waits for the first
 * stops of its children that share this space. Else the front would take that end for
 * the end of all.
 */
void child_await(struct keeper *k, const struct space *space);

/*
 * Unmaps what of ours a copy of the space's memory has; r is of a thread there, in a
 * call of the keeper.
 */
void child_unmap_copied(struct remote_call *r, const struct space *s);

#endif
