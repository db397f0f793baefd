/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/host/background.h"

#include <pthread.h>
#include <signal.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
