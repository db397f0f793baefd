/* SPDX-License-Identifier: MIT */
/*
 * Tells the loop, which sleeps in poll(), when a slot fills up: a thread that
 * sleeps on the block's word instead and then makes a descriptor readable.
 */
#ifndef TRACER_FUTEX_EVENTFD_H
#define TRACER_FUTEX_EVENTFD_H

#include "vm/base/base.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct futex_eventfd {
	int fd; /* readable when a producer called; -1: there is none */
	_Atomic uint32_t *word;
	_Atomic bool quits;
	sem_t armed; /* the thread has told of a call and waits for futex_eventfd_arm() */
	pthread_t thread;
};

/* word: state_sleeper() of the block; borrowed. Where it fails, nobody is woken. */
void futex_eventfd_open(struct futex_eventfd *w, _Atomic uint32_t *word);
/* Room was made: the next call is heard. Before each sleep. */
void futex_eventfd_arm(struct futex_eventfd *w);
void futex_eventfd_close(struct futex_eventfd *w);

#endif
