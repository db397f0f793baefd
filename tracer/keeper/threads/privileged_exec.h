/* SPDX-License-Identifier: MIT */
/*
 * Programs that give privileges to the process that executes them: set-id, or with file
 * capabilities. Under a tracer without CAP_SYS_PTRACE they do not (execve(2)), so
 * a process is detached before it executes one.
 */
#ifndef TRACER_KEEPER_THREADS_PRIVILEGED_EXEC_H
#define TRACER_KEEPER_THREADS_PRIVILEGED_EXEC_H

#include "tracer/keeper/space/task.h"

/* Whether processes gain no privileges because this keeper traces them. */
bool privileged_exec_is_lost(void);
/* Whether the thread, stopped at a system call, is about to execute such a program. */
bool privileged_exec_by_call(const struct task *task);

#endif
