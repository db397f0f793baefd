/* SPDX-License-Identifier: MIT */
/* A computation in a thread of its own, which blocks all signals. */
#ifndef VM_BASE_HOST_BACKGROUND_H
#define VM_BASE_HOST_BACKGROUND_H

#include "vm/base/base.h"

struct background;

/* Where no thread can be made, run(ctx) is called at once. Ends by background_wait(). */
struct background *background_start(void (*run)(void *ctx), void *ctx);

/* For how many such threads there are processors beside that of this one; at most max. */
size_t background_spare(size_t max);

#define BACKGROUND_FOREVER UINT32_MAX

/* True: run() has returned, and b is freed. False: not within ms milliseconds. */
bool background_wait(struct background *b, uint32_t ms);

#endif
