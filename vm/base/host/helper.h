/* SPDX-License-Identifier: MIT */
/*
 * Calls that may sleep in the kernel for ever, made by a helper thread that can be given
 * up. A thread that sleeps uninterruptibly cannot be ended: it is left there, with its
 * job, and another takes its place. When its call returns after all, it ends.
 *
 *	caller:  helper_run() ----job----> waits, at most ms --> 0, or STATUS_BUSY
 *	helper:                 run(job) ------------------------------------> drop(job)
 *
 * At most HELPERS_LOST_MAX threads are lost at a time. One caller at a time.
 */
#ifndef VM_BASE_HOST_HELPER_H
#define VM_BASE_HOST_HELPER_H

#include "vm/base/base.h"
#include "vm/base/status.h"

#define HELPERS_LOST_MAX 256

/*
 * Everything that run() uses is in the job, on the heap: it may outlive the caller's
 * buffers. drop() frees the job; it is called by the helper thread, for a job that was
 * given up.
 */
struct helper_job {
	void (*run)(struct helper_job *job);
	void (*drop)(struct helper_job *job);
	uint64_t slept_ns; /* what run() took, without the time of the processor */
};

/*
 * 0: run() has returned, and the job is the caller's again. STATUS_BUSY: it did not
 * return in ms milliseconds, and the job belongs to the helper. STATUS_LIMIT: too many
 * are lost; STATUS_NOMEM: no thread can be made; then the job was not begun and stays the
 * caller's. Pauses of the whole machine do not count, nor does the time until a busy
 * machine lets the helper begin.
 */
int helper_run(struct helper_job *job, unsigned ms);
/* Threads that were given up and have not come back. */
unsigned helpers_lost(void);

/*
 * Asks about a process what it can keep from being answered: some files of /proc are
 * made from the process's memory, or need a lock that it holds. As helper_run(), for a
 * tenth of a second at most. All together may lose a second, of which a twentieth of the
 * time gives back. STATUS_LIMIT, not asked: that is lost, or the process has given no
 * answer before.
 */
int helper_ask(int pid, struct helper_job *job);

#endif
