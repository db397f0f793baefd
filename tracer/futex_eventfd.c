/* SPDX-License-Identifier: MIT */
/*
 * The word is 1 while the loop may sleep; a producer sets it to 0 and wakes it. A
 * target can write to the word: then the loop only looks for records more often than it
 * must. A target can also write the 1 back before the thread sleeps, or move the sleeper
 * to another word (FUTEX_REQUEUE), so that no wake reaches it. So no sleep is unlimited:
 * futex_eventfd_close() waits for the thread.
 */
#include "tracer/futex_eventfd.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ARMED	 1u
#define WAKE_ALL INT32_MAX
#define SLEEP_MS 500 /* at most, before the thread looks whether it must end */

static void sleep_while_armed(_Atomic uint32_t *word)
{
	const struct timespec limit = {0, SLEEP_MS * INT64_C(1000000)};

	syscall(SYS_futex, word, FUTEX_WAIT, ARMED, &limit, NULL, 0);
}

static void *run(void *ctx)
{
	struct futex_eventfd *w = ctx;

	while (!atomic_load(&w->quits)) {
		if (atomic_load(w->word) == ARMED) {
			sleep_while_armed(w->word);
			continue;
		}
		eventfd_write(w->fd, 1);
		/* Not on the word: a wake right after arming would be missed. */
		while (sem_wait(&w->armed))
			;
	}
	return NULL;
}

void futex_eventfd_open(struct futex_eventfd *w, _Atomic uint32_t *word)
{
	sigset_t all, old;
	int rc;

	*w = (struct futex_eventfd){.word = word};
	w->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (w->fd < 0)
		return;
	/* The loop handles signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	atomic_store(word, ARMED);
	sem_init(&w->armed, 0, 0);
	rc = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == 0)
		return;
	close(w->fd);
	w->fd = -1;
}

void futex_eventfd_arm(struct futex_eventfd *w)
{
	eventfd_t value;

	if (w->fd < 0)
		return;
	eventfd_read(w->fd, &value);
	if (atomic_load(w->word) == ARMED)
		return;
	atomic_store(w->word, ARMED);
	sem_post(&w->armed);
}

void futex_eventfd_close(struct futex_eventfd *w)
{
	if (w->fd < 0)
		return;
	atomic_store(&w->quits, true);
	/* The thread may be about to sleep: it sees that the word has changed. */
	atomic_store(w->word, 0);
	syscall(SYS_futex, w->word, FUTEX_WAKE, WAKE_ALL, NULL, NULL, 0);
	sem_post(&w->armed);
	pthread_join(w->thread, NULL);
	sem_destroy(&w->armed);
	close(w->fd);
	w->fd = -1;
}
