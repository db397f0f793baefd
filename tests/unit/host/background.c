/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/host/background.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

struct work {
	int gate[2]; /* run() waits for a byte */
	pthread_t starter;
	bool is_elsewhere, blocks_signals, is_done;
};

static void run(void *ctx)
{
	struct work *w = ctx;
	sigset_t blocked;
	char byte;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	w->blocks_signals = sigismember(&blocked, SIGINT) == 1;
	w->is_elsewhere = !pthread_equal(pthread_self(), w->starter);
	w->is_done = read(w->gate[0], &byte, 1) == 1;
}

static void test_wait(void **state)
{
	struct work w = {.starter = pthread_self()};
	struct background *b;
	sigset_t blocked;

	(void)state;
	assert_int_equal(pipe(w.gate), 0);
	b = background_start(run, &w);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	assert_int_equal(sigismember(&blocked, SIGINT), 0);
	assert_false(background_wait(b, 0));
	assert_false(background_wait(b, 1));
	assert_int_equal(write(w.gate[1], "x", 1), 1);
	assert_true(background_wait(b, BACKGROUND_FOREVER));
	assert_true(w.is_done && w.is_elsewhere && w.blocks_signals);
	close(w.gate[0]);
	close(w.gate[1]);
}

#define DEEP ((size_t)2 << 20)

/* Writes to so much of the stack. */
static void *use_stack(void *ctx)
{
	volatile char block[DEEP];

	for (size_t i = 0; i < DEEP; i += 4096)
		block[i] = 1;
	*(bool *)ctx = block[DEEP - 4096] == 1;
	return NULL;
}

static int use_stack_of_main(void *ctx)
{
	use_stack(ctx);
	return 42;
}

/* A limit that is too low for the stack, for this process and what it starts. */
static void limit_stack(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_STACK, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_STACK, &limit), 0);
}

static void test_stacks(void **state)
{
	bool is_thread_done = false, is_call_done = false;
	pthread_t thread;
	struct rlimit before;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
	limit_stack(1 << 20);
	assert_int_equal(
		thread_start(&thread, THREAD_STACK, use_stack, &is_thread_done), 0);
	pthread_join(thread, NULL);
	assert_true(is_thread_done);
	assert_int_equal(stack_run(use_stack_of_main, &is_call_done), 42);
	assert_true(is_call_done);
	limit_stack(before.rlim_cur);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
