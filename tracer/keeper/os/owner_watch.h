/* SPDX-License-Identifier: MIT */
/*
 * Telling resident code that the keeper has died. A word in shared memory is a robust
 * futex of the keeper's main thread: when that thread ends, the kernel sets
 * FUTEX_OWNER_DIED in it (get_robust_list(2)). The thread must not use any robust
 * mutexes.
 *
 * The kernel finds a word at a fixed distance from a list node. The nodes are in a
 * private page in front of each mapping, which the target cannot reach.
 */
#ifndef TRACER_KEEPER_OS_OWNER_WATCH_H
#define TRACER_KEEPER_OS_OWNER_WATCH_H

#include "vm/base/base.h"

#include <stdatomic.h>

#define OWNER_WATCH_ROOM 4096 /* private and writable, in front of the mapping */

/*
 * Makes the word a robust futex of the calling thread. It is within the first
 * OWNER_WATCH_ROOM bytes of a block, and at a multiple of 4; as many bytes in front of
 * the block are mapped, used for nothing else, and stay so until owner_watch_untie().
 */
void owner_watch_tie(_Atomic uint32_t *word);
/* The word is no futex any more; before the block is unmapped. */
void owner_watch_untie(_Atomic uint32_t *word);

#endif
