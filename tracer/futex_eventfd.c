/* SPDX-License-Identifier: MIT */
/*
 * A word is 1 while the loop may sleep; a producer sets it to 0 and wakes it. A target
 * can write to its word: then the loop only looks for records more often than it must.
 */
#include "tracer/futex_eventfd.h"
#include "vm/base/host/background.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ARMED	 1u
#define WAKE_ALL INT32_MAX
#define LOOK_NS	 20000000 /* between two looks, where not all words can be waited on */

static void wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, WAKE_ALL, NULL, NULL, 0);
}

static struct futex_waitv waiter(_Atomic uint32_t *word, uint32_t value)
{
	return (struct futex_waitv){
		.val = value, .uaddr = (uintptr_t)word, .flags = FUTEX_32};
}

/* The words to wait on, behind the one for changes; under the lock. */
static unsigned gather(struct futex_eventfd *w, struct futex_waitv all[FUTEX_WAITV_MAX],
		       bool *is_woken)
{
	unsigned n = 0;

	*is_woken = false;
	all[n++] = waiter(&w->change, atomic_load(&w->change));
	for (size_t i = 0; i < w->words.len && w->is_armed; i++) {
		*is_woken |= atomic_load(w->words.data[i]) != ARMED;
		if (n < FUTEX_WAITV_MAX)
			all[n++] = waiter(w->words.data[i], ARMED);
	}
	return n;
}

/* A word that is unmapped meanwhile ends the wait with EFAULT; a change is under way. */
static void wait_for_change(struct futex_waitv *all, unsigned n, bool is_all)
{
	struct timespec at, look = {0, LOOK_NS};

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += LOOK_NS;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	if (syscall(SYS_futex_waitv, all, n, 0, is_all ? NULL : &at, CLOCK_MONOTONIC) <
		    0 &&
	    errno != EAGAIN && errno != ETIMEDOUT && errno != EFAULT)
		nanosleep(&look, NULL);
}

static void *run(void *ctx)
{
	struct futex_waitv all[FUTEX_WAITV_MAX];
	struct futex_eventfd *w = ctx;
	bool is_woken, is_all;
	unsigned n;

	for (;;) {
		pthread_mutex_lock(&w->lock);
		if (w->quits)
			break;
		n = gather(w, all, &is_woken);
		is_all = !w->is_armed || n == w->words.len + 1;
		if (is_woken) {
			w->is_armed = false;
			eventfd_write(w->fd, 1);
		}
		pthread_mutex_unlock(&w->lock);
		if (!is_woken)
			wait_for_change(all, n, is_all);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void futex_eventfd_open(struct futex_eventfd *w)
{
	*w = (struct futex_eventfd){.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
	if (w->fd < 0)
		return;
	pthread_mutex_init(&w->lock, NULL);
	if (!thread_start(&w->thread, THREAD_STACK, run, w))
		return;
	close(w->fd);
	w->fd = -1;
}

static void note_change(struct futex_eventfd *w)
{
	atomic_fetch_add(&w->change, 1);
	pthread_mutex_unlock(&w->lock);
	wake(&w->change);
}

void futex_eventfd_add(struct futex_eventfd *w, _Atomic uint32_t *word)
{
	if (w->fd < 0)
		return;
	pthread_mutex_lock(&w->lock);
	*vec_push(&w->words) = word;
	pthread_mutex_unlock(&w->lock);
}

void futex_eventfd_arm(struct futex_eventfd *w)
{
	if (w->fd < 0)
		return;
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->words.len; i++)
		atomic_store(w->words.data[i], ARMED);
	w->is_armed = true;
	note_change(w);
}

void futex_eventfd_disarm(struct futex_eventfd *w)
{
	eventfd_t value;

	if (w->fd < 0)
		return;
	pthread_mutex_lock(&w->lock);
	eventfd_read(w->fd, &value);
	w->words.len = 0;
	w->is_armed = false;
	pthread_mutex_unlock(&w->lock);
}

void futex_eventfd_close(struct futex_eventfd *w)
{
	if (w->fd < 0)
		return;
	pthread_mutex_lock(&w->lock);
	w->quits = true;
	note_change(w);
	pthread_join(w->thread, NULL);
	pthread_mutex_destroy(&w->lock);
	vec_release(&w->words);
	close(w->fd);
	w->fd = -1;
}
