/* SPDX-License-Identifier: MIT */
/*
 * Semaphores of USDT probes: words of 16 bits in a program's data, which say how many
 * tracers have a probe enabled; the program prepares the arguments only then. We add one
 * to each when its first site is set, and take one away at the end. Other tracers do the
 * same: a word is never set to a value of ours.
 */
#ifndef TRACER_KEEPER_OS_SEMAPHORES_H
#define TRACER_KEEPER_OS_SEMAPHORES_H

#include "tracer/keeper/os/procfs.h"
#include "vm/base/taddr.h"

/* Those of a space. A zeroed struct is empty. */
struct semaphores {
	struct {
		taddr addr;
		bool is_raised; /* in the memory of the space itself */
	} * data;
	size_t len, cap;
};

/*
 * Adds one to the word at addr, unless that was done before. False, and nothing is
 * written: it is not in private memory that the program can write to, or is full.
 */
bool semaphores_raise(struct semaphores *s, int mem, const struct procfs_maps *maps,
		      taddr addr);
/* Takes away what was added, once. */
void semaphores_lower(struct semaphores *s, int mem);
/* Takes one away from the word at addr, if it is one that may have been raised. */
void semaphores_lower_one(int mem, const struct procfs_maps *maps, taddr addr);
/* The same in the memory of a fork child, which has a copy of all words. */
void semaphores_lower_copy(const struct semaphores *s, int mem);
/* Those in the range have gone with their mapping. */
void semaphores_forget(struct semaphores *s, struct addr_range r);

#endif
