/* SPDX-License-Identifier: MIT */
/*
 * An eventfd for a futex word. The loop of run.c sleeps in poll(), but a producer whose
 * slot fills up can only wake the futex word of the block. A thread waits on that word
 * and makes the eventfd readable.
 */
#ifndef TRACER_FUTEX_EVENTFD_H
#define TRACER_FUTEX_EVENTFD_H

#include "vm/base/base.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct futex_eventfd {
	int fd; /* readable after a wake of the word; -1: it could not be made */
	_Atomic uint32_t *word;
	_Atomic bool quits;
	sem_t armed; /* the thread waits on it until futex_eventfd_arm() */
	pthread_t thread;
};

/* word: state_sleeper() of the block; borrowed. If it fails, fd is -1. */
void futex_eventfd_open(struct futex_eventfd *w, _Atomic uint32_t *word);
/* Before each sleep: the next wake makes fd readable again. */
void futex_eventfd_arm(struct futex_eventfd *w);
/* Ends the thread, within half a second whatever a target does to the word. */
void futex_eventfd_close(struct futex_eventfd *w);

#endif
