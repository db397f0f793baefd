/* SPDX-License-Identifier: MIT */
#include "vm/base/host/helper.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/background.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* One look at the clock counts as no more than this: a pause of the machine. */
#define SLICE_MS    20
#define STACK_BYTES (UINT64_C(1) << 18)
#define BEGIN_MS    10000 /* in which a helper gets a processor */

struct helper {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct helper_job *job; /* to be run; NULL: it is done */
	bool has_begun;		/* to run it */
	bool is_lost;		/* the caller has gone */
	int owner;		/* process id: a fork child has no helper */
};

static struct helper *idle; /* of the one caller */
static atomic_uint lost;

unsigned helpers_lost(void)
{
	return atomic_load(&lost);
}

static void release(struct helper *h)
{
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* True when the caller has given the thread up. */
static bool finish(struct helper *h, struct helper_job *job)
{
	bool is_lost;

	pthread_mutex_lock(&h->lock);
	is_lost = h->is_lost;
	h->job = NULL;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
	if (is_lost)
		job->drop(job);
	return is_lost;
}

static void run_measured(struct helper_job *job)
{
	uint64_t begin = clock_now_ns(), busy = clock_ns(CLOCK_THREAD_CPUTIME_ID), all;

	job->run(job);
	all = clock_now_ns() - begin;
	busy = clock_ns(CLOCK_THREAD_CPUTIME_ID) - busy;
	job->slept_ns = all > busy ? all - busy : 0;
}

static void *serve(void *arg)
{
	struct helper *h = arg;
	struct helper_job *job;

	do {
		pthread_mutex_lock(&h->lock);
		while (!h->job)
			pthread_cond_wait(&h->changed, &h->lock);
		job = h->job;
		h->has_begun = true;
		pthread_mutex_unlock(&h->lock);
		run_measured(job);
	} while (!finish(h, job));
	release(h);
	atomic_fetch_sub(&lost, 1);
	return NULL;
}

static struct helper *helper_new(void)
{
	struct helper *h = oom_calloc(1, sizeof(*h));
	pthread_condattr_t monotonic;

	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&h->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	h->owner = getpid();
	if (!thread_start(NULL, STACK_BYTES, serve, h))
		return h;
	release(h);
	return NULL;
}

static void wait_slice(struct helper *h, unsigned ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)ms * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&h->changed, &h->lock, &until);
}

/* True when the job is done. */
static bool wait_done(struct helper *h, unsigned ms)
{
	unsigned begin_ms = BEGIN_MS;
	bool is_done;

	pthread_mutex_lock(&h->lock);
	while (h->job && ms && begin_ms) {
		unsigned *left = h->has_begun ? &ms : &begin_ms;
		unsigned part = *left < SLICE_MS ? *left : SLICE_MS;

		wait_slice(h, part);
		*left -= part;
	}
	is_done = !h->job;
	if (!is_done) {
		h->is_lost = true;
		atomic_fetch_add(&lost, 1);
	}
	pthread_mutex_unlock(&h->lock);
	return is_done;
}

int helper_run(struct helper_job *job, unsigned ms)
{
	struct helper *h = idle;

	if (helpers_lost() >= HELPERS_LOST_MAX)
		return STATUS_LIMIT;
	if (!h || h->owner != getpid())
		h = idle = helper_new();
	if (!h)
		return STATUS_NOMEM;
	pthread_mutex_lock(&h->lock);
	h->has_begun = false;
	h->job = job;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
	if (wait_done(h, ms))
		return 0;
	idle = NULL;
	return STATUS_BUSY;
}

/* ---- questions ---- */

#define ONCE_MS	  100  /* one question may take */
#define TOTAL_MS  1000 /* all may lose together; 1 ms in 20 comes back */
#define REFILL_MS 20
#define LOST_MAX  4  /* helpers that sleep */
#define SILENT	  64 /* processes that are remembered */

/* Those that gave no answer, the last ones. */
static int silent[SILENT];
static unsigned nsilent;

static bool is_silent(int pid)
{
	for (unsigned i = 0; i < nsilent && i < SILENT; i++)
		if (silent[i] == pid)
			return true;
	return false;
}

/* How long a question may be waited for; 0: none is asked. */
static unsigned patience(uint64_t spent_ms)
{
	static uint64_t lost_ms, at_ms;
	uint64_t now = clock_now_ns() / 1000000, back = (now - at_ms) / REFILL_MS;

	at_ms += back * REFILL_MS;
	lost_ms -= min_u64(lost_ms, back);
	lost_ms += spent_ms;
	return lost_ms >= TOTAL_MS || helpers_lost() >= LOST_MAX ? 0 : ONCE_MS;
}

int helper_ask(int pid, struct helper_job *job)
{
	const uint64_t begin = clock_now_ns();
	const unsigned ms = is_silent(pid) ? 0 : patience(0);
	int status;

	if (!ms)
		return STATUS_LIMIT;
	status = helper_run(job, ms);
	patience((clock_now_ns() - begin) / 1000000);
	if (status == STATUS_BUSY)
		silent[nsilent++ % SILENT] = pid;
	return status;
}
