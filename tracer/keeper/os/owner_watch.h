/* SPDX-License-Identifier: MIT */
/*
 * A word in shared memory that the kernel marks when the keeper dies: a robust
 * futex (get_robust_list(2)) of the keeper's main thread, which uses no robust
 * mutexes of its own.
 *
 * The kernel finds the word at a fixed distance from a list node. The nodes lie in a
 * private page in front of each mapping, out of the target's reach.
 */
#ifndef TRACER_KEEPER_OS_OWNER_WATCH_H
#define TRACER_KEEPER_OS_OWNER_WATCH_H

#include "vm/base/base.h"

#include <stdatomic.h>

#define OWNER_WATCH_ROOM 4096 /* private and writable, in front of the mapping */

/* block: a mapping with OWNER_WATCH_ROOM in front of it; word: where its word lies. */
void owner_watch_tie(void *block, uint64_t word);
void owner_watch_untie(void *block);

#endif
