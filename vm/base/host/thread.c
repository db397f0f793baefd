/* SPDX-License-Identifier: MIT */
#include "vm/base/host/thread.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

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
