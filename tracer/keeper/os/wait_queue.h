/* SPDX-License-Identifier: MIT */
/*
 * Waiting for stops. Nothing here polls: the caller sleeps in waitpid, and an
 * interval timer ends a sleep that may last only so long.
 */
#ifndef TRACER_KEEPER_OS_WAIT_QUEUE_H
#define TRACER_KEEPER_OS_WAIT_QUEUE_H

#include "vm/base/base.h"
#include "vm/base/status.h"

/*
 * How long the keeper waits for a thread that is about to stop, in ms: after a step, a
 * system call of ours, a run to the end of a stub. Only a machine that cannot schedule
 * takes that long.
 */
#define WAIT_QUEUE_STUCK_MS 10000

struct wait_queue {
	struct {
		struct wait_queue_one {
			int tid, status;
		} * data;
		size_t len, cap;
	} kept; /* wait_queue_wait_tid() saw it, wait_queue_next() has not given it yet */
	bool has_tracees; /* as of the last wait_queue_next() */
	/*
	 * The thread, or 0, whose stop wait_queue_next() gave last and left to the
	 * kernel: a
	 * SIGTRAP, mostly of a breakpoint. Once waited for, such a trap would be
	 * forgotten if we died, and the thread would go on amid the instruction; so it
	 * dies of it. Resuming the thread is the end of that.
	 */
	int open;
};

/* Installs the empty handlers that let SIGALRM and WAIT_QUEUE_WAKE end a waitpid. */
#define WAIT_QUEUE_WAKE SIGUSR1
int wait_queue_init(struct wait_queue *s);
void wait_queue_release(struct wait_queue *s);

/*
 * The next stop of this thread: 0, STATUS_BUSY after ms milliseconds, or
 * STATUS_GONE when it exited: that status is left for wait_queue_next().
 */
int wait_queue_wait_tid(struct wait_queue *s, int tid, unsigned ms, int *status);
/*
 * A stop that is still to be handled: wait_queue_next() or wait_queue_wait_tid()
 * gives it.
 */
void wait_queue_keep(struct wait_queue *s, int tid, int status);
/* Whether a stop of the thread is kept. */
bool wait_queue_has(const struct wait_queue *s, int tid);
/* The open stop's thread is not going to be resumed: it is not to be reported again. */
void wait_queue_close(struct wait_queue *s);
/*
 * The next stop of any thread: its tid; 0 when a signal ended the wait, or
 * when nothing is traced.
 */
int wait_queue_next(struct wait_queue *s, int *status);

#endif
