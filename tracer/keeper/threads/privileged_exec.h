/* SPDX-License-Identifier: MIT */
/*
 * Programs that give privileges to whoever executes them: set-id, or with file
 * capabilities. Under a tracer without CAP_SYS_PTRACE they do not (execve(2)), so that
 * a child which shares the memory of a traced process, and is traced for that alone,
 * must be let go before.
 */
#ifndef TRACER_KEEPER_THREADS_PRIVILEGED_EXEC_H
#define TRACER_KEEPER_THREADS_PRIVILEGED_EXEC_H

#include "tracer/keeper/space/task.h"

/* Whether this keeper is a tracer under which nothing is gained. */
bool privileged_exec_is_lost(void);
/* The thread stops at a system call: whether that is the entry of such an execution. */
bool privileged_exec_by_call(const struct task *task);

#endif
