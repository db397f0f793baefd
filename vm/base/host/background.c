/* SPDX-License-Identifier: MIT */
#include "vm/base/host/background.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/thread.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

struct background {
	void (*run)(void *ctx);
	void *ctx;
	pthread_t thread;
	bool has_thread;
};

static void *serve(void *arg)
{
	const struct background *b = arg;

	b->run(b->ctx);
	return NULL;
}

struct background *background_start(void (*run)(void *ctx), void *ctx)
{
	struct background *b = oom_calloc(1, sizeof(*b));

	b->run = run;
	b->ctx = ctx;
	b->has_thread = thread_start(&b->thread, THREAD_STACK, serve, b) == 0;
	if (!b->has_thread)
		run(ctx);
	return b;
}

static bool join(const struct background *b, uint32_t ms)
{
	struct timespec until;

	if (ms == BACKGROUND_FOREVER)
		return pthread_join(b->thread, NULL) == 0;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return pthread_clockjoin_np(b->thread, NULL, CLOCK_MONOTONIC, &until) == 0;
}

bool background_wait(struct background *b, uint32_t ms)
{
	if (b->has_thread && !join(b, ms))
		return false;
	free(b);
	return true;
}

size_t background_spare(size_t max)
{
	cpu_set_t allowed;
	size_t n = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		n = (size_t)CPU_COUNT(&allowed);
	return n ? min_u64(n - 1, max) : 0;
}
