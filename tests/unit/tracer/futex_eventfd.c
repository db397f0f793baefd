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
#include <pthread.h>
#include <sys/mman.h>
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

static void arm(struct futex_eventfd *w, _Atomic uint32_t *word)
{
	futex_eventfd_add(w, word);
	futex_eventfd_arm(w);
}

/* More words than one system call can wait on: each of them is seen. */
static void test_many_words(void **state)
{
	static _Atomic uint32_t words[300];
	struct futex_eventfd w;

	(void)state;
	futex_eventfd_open(&w);
	for (size_t i = 0; i < ARRAY_LEN(words); i += 13) {
		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			futex_eventfd_add(&w, &words[k]);
		futex_eventfd_arm(&w);
		call(&words[i]);
		assert_int_equal(is_called(&w, 10000), 1);
		futex_eventfd_disarm(&w);
	}
	futex_eventfd_close(&w);
}

/* Words may be unmapped after the sleep. */
static void test_unmapped_word(void **state)
{
	struct futex_eventfd w;

	(void)state;
	futex_eventfd_open(&w);
	for (int i = 0; i < 200; i++) {
		_Atomic uint32_t *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		assert_ptr_not_equal(word, MAP_FAILED);
		arm(&w, word);
		if (i % 2)
			call(word);
		futex_eventfd_disarm(&w);
		munmap((void *)(uintptr_t)word, 4096);
	}
	futex_eventfd_close(&w);
}

static void test_calls(void **state)
{
	_Atomic uint32_t word = 5;
	struct futex_eventfd w;

	(void)state;
	futex_eventfd_open(&w);
	assert_true(w.fd >= 0);
	for (int i = 0; i < 50; i++) {
		arm(&w, &word);
		assert_int_equal(word, 1);
		call(&word);
		assert_int_equal(is_called(&w, 10000), 1);
		futex_eventfd_disarm(&w);
		assert_int_equal(is_called(&w, 0), 0);
	}
	futex_eventfd_close(&w);
	assert_int_equal(w.fd, -1);
	futex_eventfd_close(&w);
	arm(&w, &word);
	futex_eventfd_disarm(&w);
}

/* A word that a hostile target changes is a call, and the end is not missed. */
static void test_odd_words(void **state)
{
	static const uint32_t words[] = {0, 2, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		_Atomic uint32_t word = 0;
		struct futex_eventfd w;

		futex_eventfd_open(&w);
		arm(&w, &word);
		atomic_store(&word, words[i]);
		syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
		assert_int_equal(is_called(&w, 10000), 1);
		futex_eventfd_close(&w);
	}
}

/* A hostile target moves the sleeper to a word of its own: no wake reaches it there. */
static void test_moved_sleeper(void **state)
{
	_Atomic uint32_t word = 0, other = 0;
	struct futex_eventfd w;
	long moved = 0;

	(void)state;
	alarm(20); /* the end would wait for the sleeper for ever */
	futex_eventfd_open(&w);
	assert_true(w.fd >= 0);
	arm(&w, &word);
	while (moved == 0)
		moved = syscall(SYS_futex, &word, FUTEX_REQUEUE, 0, 1, &other, 0);
	assert_int_equal(moved, 1);
	futex_eventfd_close(&w);
	alarm(0);
}

/* The same by writing: whatever the end writes, the word says at once that it sleeps. */
#define OVER 9

static void *keep_armed(void *ctx)
{
	_Atomic uint32_t *word = ctx;
	uint32_t seen = 0;

	while (seen != OVER) {
		seen = 0;
		atomic_compare_exchange_weak(word, &seen, 1);
	}
	return NULL;
}

static void test_rearmed(void **state)
{
	_Atomic uint32_t word = 0;
	pthread_t hostile;

	(void)state;
	alarm(60);
	assert_int_equal(pthread_create(&hostile, NULL, keep_armed, &word), 0);
	for (int i = 0; i < 40; i++) {
		struct futex_eventfd w;

		futex_eventfd_open(&w);
		arm(&w, &word);
		futex_eventfd_close(&w);
	}
	atomic_store(&word, OVER);
	pthread_join(hostile, NULL);
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),	      cmocka_unit_test(test_many_words),
		cmocka_unit_test(test_unmapped_word), cmocka_unit_test(test_odd_words),
		cmocka_unit_test(test_moved_sleeper), cmocka_unit_test(test_rearmed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
