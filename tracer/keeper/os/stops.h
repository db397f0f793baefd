/* SPDX-License-Identifier: MIT */
/*
 * Waiting for stops. Nothing here polls: the caller sleeps in waitpid, and an
 * interval timer ends a sleep that may last only so long.
 */
#ifndef TRACER_KEEPER_OS_STOPS_H
#define TRACER_KEEPER_OS_STOPS_H

#include "vm/base/base.h"
#include "vm/base/status.h"

struct stops {
	struct {
		struct stops_one {
			int tid, status;
		} * data;
		size_t len, cap;
	} kept; /* reported to stops_wait_tid(), still to be given by stops_next() */
	bool has_tracees; /* as of the last stops_next() */
	/*
	 * The thread, or 0, whose stop stops_next() gave last and left to the kernel: a
	 * SIGTRAP, mostly of a breakpoint. Once waited for, such a trap would be
	 * forgotten if we died, and the thread would go on amid the instruction; so it
	 * dies of it. Resuming the thread is the end of that.
	 */
	int open;
};

/* Installs the empty handlers that let SIGALRM and STOPS_WAKE end a waitpid. */
#define STOPS_WAKE SIGUSR1
int stops_init(struct stops *s);
void stops_release(struct stops *s);

/*
 * The next stop of this thread: 0, STATUS_BUSY after ms milliseconds, or
 * STATUS_GONE when it exited: that status is left for stops_next().
 */
int stops_wait_tid(struct stops *s, int tid, unsigned ms, int *status);
/*
 * A stop that is still to be handled: stops_next() or stops_wait_tid() gives it.
 */
void stops_keep(struct stops *s, int tid, int status);
/* Whether a stop of the thread is kept. */
bool stops_has(const struct stops *s, int tid);
/* The open stop's thread is not going to be resumed: it is not to be reported again. */
void stops_close(struct stops *s);
/*
 * The next stop of any thread: its tid; 0 when a signal ended the wait, or
 * when nothing is traced.
 */
int stops_next(struct stops *s, int *status);

#endif
