/* SPDX-License-Identifier: MIT */
/*
 * Events to the front. Each function sends one message and sets k->is_over when the
 * front has gone; the calling code goes on as usual then, and the loop ends.
 */
#ifndef TRACER_KEEPER_THREADS_EVENT_H
#define TRACER_KEEPER_THREADS_EVENT_H

#include "tracer/keeper/threads/core.h"

/*
 * KEEPER_EV_EXEC or KEEPER_EV_FORK: the process of the thread, which is stopped, has a
 * new image. The thread becomes TASK_HELD, and is the one that KEEPER_REQ_RESUME resumes.
 * family: 0, or the followed process that a new child descends from.
 */
void event_image(struct keeper *k, struct task *task, enum keeper_msg_type type,
		 int family);
/*
 * KEEPER_EV_HOLD: the thread, which is TASK_HELD, is at the address. It is the one that
 * KEEPER_REQ_RESUME resumes.
 */
void event_hold(struct keeper *k, struct task *task);
/* KEEPER_EV_EXCHANGE: resident code has been installed in the process. */
void event_exchange(struct keeper *k, struct process *p);
/* KEEPER_EV_EXIT: the process has ended; tid was its last thread. */
void event_exit(struct keeper *k, const struct process *p, int tid, int wait_status);
/* KEEPER_EV_LOST: the process is detached; thread tid, or the process, is why. */
void event_lost(struct keeper *k, const struct process *p, int tid, const char *why);

/* KEEPER_EV_DOMAIN: breakpoints serve n sites that had detours; word: what changed. */
void event_domain(struct keeper *k, const struct process *p, uint32_t n,
		  const char *word);

/* KEEPER_EV_BUSY: pid fires too often in the process; the probe that fired last. */
void event_busy(struct keeper *k, const struct process *p, uint32_t probe);

/* KEEPER_EV_COPY. n descriptors, the caller's. */
void event_copy(struct keeper *k, const struct task *task,
		const struct keeper_ev_copy *copy, const int *files, uint32_t n);
/* The same when there is no copy. */
void event_no_copy(struct keeper *k, const struct task *task, uint32_t number,
		   const char *why);

/* KEEPER_EV_WRITABLE: that many detours are breakpoints now. */
void event_writable(struct keeper *k, const struct process *p, uint32_t ndetours);
/* KEEPER_EV_WAITED, if threads of the process have waited. */
void event_waited(struct keeper *k, const struct process *p);
/* KEEPER_EV_CHANGED, if a traced process has written over sites. Its memory is there. */
void event_changed(struct keeper *k, const struct process *p);

#endif
