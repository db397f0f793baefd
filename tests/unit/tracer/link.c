/* SPDX-License-Identifier: MIT */
/* The front's end of the conversation, where no keeper is needed. */
#include "tracer/base/link.h"
#include "vm/base/host/vec.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* Events that no one took are dropped with their descriptors, also of a dead keeper. */
static void test_close(void **state)
{
	struct link l = {.fd = -1};
	int fd = dup(STDIN_FILENO);

	(void)state;
	*vec_push(&l.events) = (struct link_message){.fd = -1};
	*vec_push(&l.events) = (struct link_message){.fd = fd};
	link_close(&l);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_null(l.events.data);
	link_close(&l);
}

/* What is written can be read back; it can neither grow nor shrink. */
static void test_memfd(void **state)
{
	static const char text[] = "the program";
	char got[sizeof(text)];
	int fd = link_memfd(text, sizeof(text));

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, got, sizeof(got), 0), sizeof(text));
	assert_string_equal(got, text);
	assert_int_equal(ftruncate(fd, 1), -1);
	assert_int_equal(ftruncate(fd, 100), -1);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(pwrite(fd, text, 1, 0), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	close(fd);
}

/*
 * A file that is shared stays writable: a target that got hold of its descriptor cannot
 * forbid new mappings to all others.
 */
static void test_shared_memfd(void **state)
{
	int fd = link_memfd(NULL, 4096);
	char *map;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 1), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(map[4095], 0);
	munmap(map, 4096);
	close(fd);
}

/* One that is filled by and by can be read, and mapped, but not changed after that. */
static void test_sealed_memfd(void **state)
{
	int fd = link_open_memfd(4096);
	void *map;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "x", 1, 4095), 1);
	assert_int_equal(link_seal_memfd(fd), 0);
	assert_int_equal(pwrite(fd, "y", 1, 4095), -1);
	assert_int_equal(ftruncate(fd, 1), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
			 MAP_FAILED);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(((char *)map)[4095], 'x');
	munmap(map, 4096);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_memfd),
		cmocka_unit_test(test_shared_memfd),
		cmocka_unit_test(test_sealed_memfd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
