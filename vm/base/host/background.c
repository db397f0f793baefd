/* SPDX-License-Identifier: MIT */
#include "vm/base/host/background.h"
#include "vm/base/host/oom.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>

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

/* ---- stacks ---- */

int thread_start(pthread_t *thread, size_t stack, void *(*run)(void *ctx), void *ctx)
{
	pthread_attr_t attr;
	pthread_t detached;
	sigset_t all, old;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, stack);
	if (!thread)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread ? thread : &detached, &attr, run, ctx);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

/* makecontext(3) passes integers only. */
static struct {
	int (*run)(void *ctx);
	void *ctx;
	int result;
} call;

static void stack_begin(void)
{
	call.result = call.run(call.ctx);
}

static bool is_stack_small(void)
{
	struct rlimit r;

	return getrlimit(RLIMIT_STACK, &r) == 0 && r.rlim_cur < THREAD_STACK;
}

/* A stack that grows down to a page that nothing can be written to; NULL: no memory. */
static unsigned char *map_stack(size_t guard)
{
	unsigned char *at = mmap(NULL, guard + THREAD_STACK, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	if (mprotect(at + guard, THREAD_STACK, PROT_READ | PROT_WRITE) == 0)
		return at;
	munmap(at, guard + THREAD_STACK);
	return NULL;
}

int stack_run(int (*run)(void *ctx), void *ctx)
{
	const size_t guard = 4096;
	unsigned char *stack = is_stack_small() ? map_stack(guard) : NULL;
	ucontext_t here, there;

	if (!stack || getcontext(&there))
		return run(ctx);
	call.run = run;
	call.ctx = ctx;
	there.uc_stack.ss_sp = stack + guard;
	there.uc_stack.ss_size = THREAD_STACK;
	there.uc_link = &here;
	makecontext(&there, stack_begin, 0);
	swapcontext(&here, &there);
	munmap(stack, guard + THREAD_STACK);
	return call.result;
}
