/* SPDX-License-Identifier: MIT */
/* All bytes are written, whatever a call takes; an error is said. */
#include "vm/base/host/fd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES (1u << 20) /* more than a pipe takes */

static void *read_all(void *arg)
{
	uint8_t buf[4099];
	uintptr_t sum = 0;
	ssize_t n;

	while ((n = read(*(int *)arg, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum += buf[i];
	return (void *)sum;
}

static void test_in_pieces(void **state)
{
	uint8_t *bytes = malloc(BYTES);
	uintptr_t sum = 0;
	pthread_t reader;
	void *read_sum;
	int ends[2];

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < BYTES; i++)
		sum += bytes[i] = (uint8_t)(i * 7);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_all, &ends[0]), 0);
	assert_true(fd_write_all(ends[1], bytes, BYTES));
	close(ends[1]);
	pthread_join(reader, &read_sum);
	assert_int_equal((uintptr_t)read_sum, sum);
	close(ends[0]);
	free(bytes);
}

static void test_errors(void **state)
{
	static const uint8_t bytes[BYTES];
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_true(fd_write_all(ends[1], bytes, 0));
	assert_false(fd_write_all(ends[1], bytes, BYTES));
	assert_int_equal(errno, EAGAIN);
	close(ends[0]);
	close(ends[1]);
	assert_false(fd_write_all(ends[1], bytes, 1));
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_pieces),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
