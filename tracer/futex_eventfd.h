/* SPDX-License-Identifier: MIT */
/*
 * An eventfd for futex words. The loop of run.c sleeps in poll(), but a producer whose
 * slot fills up can only wake the futex word of its block. A thread waits on all these
 * words (futex_waitv(2), Linux 5.16; else it looks at them many times a second) and makes
 * the eventfd readable.
 */
#ifndef TRACER_FUTEX_EVENTFD_H
#define TRACER_FUTEX_EVENTFD_H

#include "vm/base/base.h"
#include <pthread.h>
#include <stdatomic.h>

struct futex_eventfd {
	int fd; /* readable after a wake of a word; -1: it could not be made */
	pthread_mutex_t lock;	 /* of what follows */
	_Atomic uint32_t change; /* grows with each: ends the thread's wait */
	bool is_armed;		 /* the thread is to wait for a wake */
	bool quits;
	struct {
		_Atomic uint32_t **data; /* borrowed */
		size_t len, cap;
	} words;
	pthread_t thread;
};

/* If it fails, fd is -1, and the other functions do nothing. */
void futex_eventfd_open(struct futex_eventfd *w);
/*
 * Before each sleep: add each word (state_sleeper() of a block), then arm. The next wake
 * of one of them makes fd readable. Disarm after the sleep: words are forgotten, and may
 * be unmapped.
 */
void futex_eventfd_add(struct futex_eventfd *w, _Atomic uint32_t *word);
void futex_eventfd_arm(struct futex_eventfd *w);
void futex_eventfd_disarm(struct futex_eventfd *w);
/* Ends the thread, whatever a target does to its word. */
void futex_eventfd_close(struct futex_eventfd *w);

#endif
