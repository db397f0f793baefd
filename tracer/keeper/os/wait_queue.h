/* SPDX-License-Identifier: MIT */
/*
 * Waiting for stops of traced threads, with a queue of those that were seen before their
 * turn. The caller sleeps in waitpid(2); an interval timer (SIGALRM) ends a sleep with a
 * time limit. Only the thread that traces may call these.
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
	} kept;		  /* waited for, but not yet returned by wait_queue_next() */
	bool has_tracees; /* at the last wait_queue_next() */
	/*
	 * The thread, or 0, whose stop wait_queue_next() returned last without consuming
	 * it: a SIGTRAP, mostly of a breakpoint. If the keeper died after it had consumed
	 * such a stop, the thread would run on inside an instruction; so it dies of the
	 * SIGTRAP instead. Resuming the thread consumes the stop.
	 */
	int open;
};

/*
 * Installs empty handlers, so that SIGALRM and WAIT_QUEUE_WAKE end a waitpid(2).
 * STATUS_IO on failure.
 */
#define WAIT_QUEUE_WAKE SIGUSR1
int wait_queue_init(struct wait_queue *s);
void wait_queue_release(struct wait_queue *s);

/*
 * Waits for the next stop of this thread, kept or new: 0. STATUS_BUSY after ms
 * milliseconds. STATUS_GONE when it ended: wait_queue_next() will return that status.
 */
int wait_queue_wait_tid(struct wait_queue *s, int tid, unsigned ms, int *status);
/*
 * Keeps a stop that is still to be handled: wait_queue_next() or wait_queue_wait_tid()
 * will return it.
 */
void wait_queue_keep(struct wait_queue *s, int tid, int status);
/* Whether a stop of the thread is kept. */
bool wait_queue_has(const struct wait_queue *s, int tid);
/* Consumes the open stop: its thread stays stopped, and must not be returned again. */
void wait_queue_close(struct wait_queue *s);
/*
 * Waits for the next stop of any thread, kept ones first: its tid. 0: a signal ended the
 * wait, or no thread is traced (has_tracees).
 */
int wait_queue_next(struct wait_queue *s, int *status);

#endif
