/* SPDX-License-Identifier: MIT */
/* A producer's call reaches a sleeping poll(). */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/futex_eventfd.h"

/* What the machine's home does when a slot fills. */
static void call(_Atomic uint32_t *word)
{
	atomic_store(word, 0);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int is_called(const struct futex_eventfd *w, int ms)
{
	struct pollfd p = {.fd = w->fd, .events = POLLIN};

	return poll(&p, 1, ms);
}

static void test_calls(void **state)
{
	_Atomic uint32_t word = 5;
	struct futex_eventfd w;

	(void)state;
	futex_eventfd_open(&w, &word);
	assert_true(w.fd >= 0);
	assert_int_equal(word, 1);
	for (int i = 0; i < 50; i++) {
		call(&word);
		assert_int_equal(is_called(&w, 10000), 1);
		futex_eventfd_arm(&w);
		assert_int_equal(word, 1);
	}
	futex_eventfd_close(&w);
	assert_int_equal(w.fd, -1);
	futex_eventfd_close(&w);
	futex_eventfd_arm(&w);
}

/* A word that a hostile target changes is a call, and the end is not missed. */
static void test_odd_words(void **state)
{
	static const uint32_t words[] = {0, 2, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		_Atomic uint32_t word = 0;
		struct futex_eventfd w;

		futex_eventfd_open(&w, &word);
		atomic_store(&word, words[i]);
		syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
		assert_int_equal(is_called(&w, 10000), 1);
		futex_eventfd_close(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_odd_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
