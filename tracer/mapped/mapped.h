/* SPDX-License-Identifier: MIT */
/*
 * Code that a process maps without its loader: by a loader of its own, or pieces of files
 * for code that it makes. Such an object is a module like any other.
 *
 * While a description may match code that is not there yet, hold sites stand behind the
 * system calls in the mmap(), mprotect() and pkey_mprotect() of the target's C library,
 * or of the target itself if it is static. The keeper holds a thread there only if it has
 * mapped a file for execution, or made memory executable: then probes are set before that
 * code can run. Other calls cost a stop. Where a process makes very many (KEEPER's
 * mapped/mapping_calls.h) the sites are taken out again.
 *
 * System calls in other places are noticed later: every few ms dtrace looks whether the
 * amount of executable memory has changed, which the target does not feel. So it is with
 * mappings that have gone.
 *
 * While no description can match more, none of this is done.
 *
 * A process may also move code with sites by mremap(). Behind that call of the C library
 * stands a hold site in each process that may have any; what was moved is looked at like
 * code that is new. A process that moves other memory often loses that hold site.
 *
 * It may write over code with sites, too: the keeper looks when the process ends.
 */
#ifndef TRACER_MAPPED_MAPPED_H
#define TRACER_MAPPED_MAPPED_H

#include "tracer/base/core.h"

/*
 * Begins to watch the target, or ends it, as the descriptions need it now. Its hold sites
 * are added, to be sent by the caller. struct tracer.watch_mappings.
 */
void mapped_watch(struct tracer *t, struct target *target);

/*
 * The first sites of the target have been set. If it has been held since its objects were
 * read, and has one thread, what it has mapped need not be looked at again.
 */
void mapped_begin(struct target *target);

/* A KEEPER_EV_HOLD with mapped or is_often: the target gets its sites, and goes on. */
void mapped_event(struct tracer *t, const struct keeper_msg *event);

/* Looks at those that are watched, now and then. */
void mapped_turn(struct tracer *t, uint64_t now_ns);
/* When to call it again; UINT64_MAX: never. */
uint64_t mapped_wakeup(const struct tracer *t);

#endif
