/* SPDX-License-Identifier: MIT */
/*
 * Waiting for stops of traced threads, with a queue of those that were seen before their
 * turn. The caller sleeps in waitpid(2); an interval timer (SIGALRM) ends a sleep with a
 * time limit. Only the thread that traces may call these.
 */
#ifndef TRACER_KEEPER_OS_WAIT_QUEUE_H
#define TRACER_KEEPER_OS_WAIT_QUEUE_H

#include "tracer/keeper/os/patience.h"
#include "vm/base/base.h"
#include "vm/base/status.h"

/*
 * The longest wait for a thread that does a step for the keeper, in ms. Only a machine
 * that cannot schedule takes that long: what the thread runs counts against patience.
 */
#define WAIT_QUEUE_STUCK_MS 10000

/* What the owner of the queue knows of threads; each may be NULL. */
struct wait_queue_hooks {
	void *ctx;
	/* The patience with the thread's address space; NULL: it is not known. */
	struct patience *(*patience)(void *ctx, int tid);
	/*
	 * Handles stops of threads in whose space no wait is under way. True: there were
	 * some. May call functions of this header.
	 */
	bool (*serve_others)(void *ctx);
	/*
	 * The thread is in the stop of a SIGTRAP, not consumed. True: it was a hit; the
	 * thread will hit the site again, and comes to a PTRACE_EVENT_STOP before that.
	 */
	bool (*take_back)(void *ctx, int tid);
	/* Whether someone waits for the owner: then patience ends in half the time. */
	bool (*is_asked)(void *ctx);
};

struct wait_queue {
	struct wait_queue_hooks hooks;
	/* After that no wait takes longer than a look; NULL: it does not matter. */
	struct deadline *hurry;
	bool has_lost; /* some patience has ended, for the owner to reset */
	bool is_slow;  /* the last wait took long: others are served soon */
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
	struct wait_queue_ended {
		int pid;
		uint64_t cpu_ns; /* clock_process_ns() */
	} ended;		 /* the thread that was reaped last */
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
 * milliseconds. STATUS_GONE when it ended: wait_queue_next() will return that status. A
 * hit is none: it is taken back.
 * When it takes more than a few ms, stops of other processes are handled meanwhile.
 */
int wait_queue_wait_tid(struct wait_queue *s, int tid, unsigned ms, int *status);
/*
 * The same for a thread that was resumed to do a step for the keeper, as long as there is
 * patience with it. STATUS_GONE also when that has ended: the thread runs on and must not
 * be touched; threads/abandon.h takes care of it.
 */
int wait_queue_wait_step(struct wait_queue *s, int tid, int *status);
/* Counts ms as waiting of wait_queue_wait_step(). */
void wait_queue_spend(struct wait_queue *s, int tid, uint64_t ms);
/* Whether patience with the thread's address space has ended. */
bool wait_queue_is_lost(const struct wait_queue *s, int tid);
/* The next stop of this thread if there is one already. */
bool wait_queue_poll(struct wait_queue *s, int tid, int *status);
/* The status of the stop that the thread is in, which is still to come; 0: in none. */
int wait_queue_look(int tid);
/*
 * wait_queue_next() returns after so many us at most (0: it may take longer), until the
 * next other wait.
 */
#define WAIT_QUEUE_TICK_US 20000
void wait_queue_tick(long us);
/*
 * Keeps a stop that is still to be handled: wait_queue_next() or wait_queue_wait_tid()
 * will return it.
 */
void wait_queue_keep(struct wait_queue *s, int tid, int status);
/* Whether a stop of the thread is kept. */
bool wait_queue_has(const struct wait_queue *s, int tid);
/*
 * Consumes the open stop: its thread stays stopped, and must not be returned again. If
 * the thread was killed meanwhile, its end, or the stop before that, is kept.
 */
void wait_queue_close(struct wait_queue *s);
/*
 * Waits for the next stop of any thread, kept ones first: its tid. 0: a signal ended the
 * wait, or no thread is traced (has_tracees).
 */
int wait_queue_next(struct wait_queue *s, int *status);

#endif
