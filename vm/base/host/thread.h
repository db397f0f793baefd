/* SPDX-License-Identifier: MIT */
/* Stacks that do not depend on the limit of stacks (ulimit -s), for threads and main(). */
#ifndef VM_BASE_HOST_THREAD_H
#define VM_BASE_HOST_THREAD_H

#include "vm/base/base.h"

#include <pthread.h>

#define THREAD_STACK (UINT64_C(8) << 20)

/*
 * Starts run(ctx) in a thread with a stack of so many bytes, which blocks all signals:
 * they are for the main thread. thread: NULL for one that is detached. Returns 0 or an
 * error number: EAGAIN for too many threads (err_errno() says which limit).
 */
int thread_start(pthread_t *thread, size_t stack, void *(*run)(void *ctx), void *ctx);

/*
 * Calls run(ctx) and returns its result. Where the limit allows less than THREAD_STACK,
 * it runs on a stack of its own. For main() only.
 */
int stack_run(int (*run)(void *ctx), void *ctx);

#endif
