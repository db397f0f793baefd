/* SPDX-License-Identifier: MIT */
/*
 * Tells the loop, which sleeps in poll(), when a slot fills up: a thread that
 * sleeps on the block's word instead and then makes a descriptor readable.
 */
#ifndef TRACER_WAKER_H
#define TRACER_WAKER_H

#include "vm/base/base.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct waker {
	int fd; /* readable when a producer called; -1: there is no waker */
	_Atomic uint32_t *word;
	_Atomic bool quits;
	sem_t armed; /* the thread has told of a call and waits for waker_arm() */
	pthread_t thread;
};

/* word: state_sleeper() of the block; borrowed. Where it fails, nobody is woken. */
void waker_open(struct waker *w, _Atomic uint32_t *word);
/* Room was made: the next call is heard. Before each sleep. */
void waker_arm(struct waker *w);
void waker_close(struct waker *w);

#endif
