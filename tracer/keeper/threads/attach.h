/* SPDX-License-Identifier: MIT */
/*
 * KEEPER_REQ_SEIZE: begins tracing every thread of a process without stopping it.
 */
#ifndef TRACER_KEEPER_THREADS_ATTACH_H
#define TRACER_KEEPER_THREADS_ATTACH_H

#include "tracer/keeper/threads/core.h"
#include "vm/base/host/err.h"

/*
 * is_created: the front started it, and it is killed when the front dies. On failure
 * nothing stays attached, and the text is the reason alone: STATUS_NOENT, STATUS_PERM,
 * STATUS_BUSY (another tracer, or threads appear faster than they can be seized),
 * STATUS_GONE, STATUS_UNSUP (32-bit, a kernel thread).
 */
int attach_process(struct keeper *k, int pid, bool is_created, struct err *e);

/*
 * Seizes one thread that was listed as one of the process: 1. 0: it is traced already,
 * has ended, or is a worker of the kernel; or its number is that of another process's
 * thread by now, which runs on untraced. STATUS_PERM: it may not be traced.
 */
int attach_thread(struct keeper *k, struct process *p, int tid);

#endif
