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
 * Makes the word at this offset of the block a robust futex of the calling thread. The
 * offset is the same for all blocks. OWNER_WATCH_ROOM bytes in front of the block are
 * mapped and stay so until owner_watch_untie().
 */
void owner_watch_tie(void *block, uint64_t word);
/* The word is no futex any more; before the block is unmapped. */
void owner_watch_untie(void *block);

#endif
