/* SPDX-License-Identifier: MIT */
/*
 * Threads of ours, and computations in one. They block all signals, which are for the
 * main thread, and their stacks do not depend on the limit of stacks (ulimit -s).
 */
#ifndef VM_BASE_HOST_BACKGROUND_H
#define VM_BASE_HOST_BACKGROUND_H

#include "vm/base/base.h"

#include <pthread.h>

struct background;

/* Where no thread can be made, run(ctx) is called at once. Ends by background_wait(). */
struct background *background_start(void (*run)(void *ctx), void *ctx);

/* For how many such threads there are processors beside that of this one; at most max. */
size_t background_spare(size_t max);

#define BACKGROUND_FOREVER UINT32_MAX

/* True: run() has returned, and b is freed. False: not within ms milliseconds. */
bool background_wait(struct background *b, uint32_t ms);

#define THREAD_STACK (UINT64_C(8) << 20)

/*
 * Starts run(ctx) in a thread with a stack of so many bytes. thread: NULL for one that is
 * detached. Returns 0 or an error number: EAGAIN for too many threads (err_errno() says
 * which limit).
 */
int thread_start(pthread_t *thread, size_t stack, void *(*run)(void *ctx), void *ctx);

/*
 * Calls run(ctx) and returns its result. Where the limit allows less than THREAD_STACK,
 * it runs on a stack of its own. For main() only.
 */
int stack_run(int (*run)(void *ctx), void *ctx);

#endif
