/* SPDX-License-Identifier: MIT */
/* What /proc says of descriptors of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/proc/fdinfo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *text_of(int fd, enum fdinfo what)
{
	static char text[4096];

	assert_int_equal(fdinfo_get(getpid(), fd, what, text, sizeof(text)), 0);
	return text;
}

static int64_t number_of(int fd, enum fdinfo what)
{
	return fdinfo_get(getpid(), fd, what, NULL, 0);
}

static void test_file(void **state)
{
	char path[] = "/tmp/fdinfo.XXXXXX", cut[5];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "sixteen letters.", 16), 16);
	assert_string_equal(text_of(fd, FDINFO_PATH), path);
	assert_string_equal(text_of(fd, FDINFO_DIR), "/tmp");
	assert_int_equal(number_of(fd, FDINFO_OFFSET), 16);
	assert_int_equal(number_of(fd, FDINFO_OFLAGS) & (O_ACCMODE | O_APPEND), O_RDWR);
	assert_int_equal(text_of(fd, FDINFO_MOUNT)[0], '/');
	assert_int_not_equal(text_of(fd, FDINFO_FS)[0], '<');
	fdinfo_get(getpid(), fd, FDINFO_PATH, cut, sizeof(cut));
	assert_string_equal(cut, "/tmp");
	unlink(path);
	close(fd);
}

static void test_kinds(void **state)
{
	int null = open("/dev/null", O_WRONLY | O_APPEND);
	int proc = open("/proc", O_RDONLY | O_DIRECTORY), root = open("/", O_RDONLY);
	int pipes[2], sockets[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	assert_int_equal(number_of(null, FDINFO_OFLAGS) & (O_ACCMODE | O_APPEND),
			 O_WRONLY | O_APPEND);
	assert_string_equal(text_of(proc, FDINFO_FS), "proc");
	assert_string_equal(text_of(proc, FDINFO_MOUNT), "/proc");
	assert_string_equal(text_of(proc, FDINFO_DIR), "/");
	assert_string_equal(text_of(root, FDINFO_PATH), "/");
	assert_string_equal(text_of(root, FDINFO_DIR), "/");
	assert_int_equal(strncmp(text_of(pipes[0], FDINFO_PATH), "pipe:[", 6), 0);
	assert_string_equal(text_of(pipes[0], FDINFO_FS), "pipefs");
	assert_string_equal(text_of(pipes[0], FDINFO_MOUNT), "<none>");
	assert_string_equal(text_of(sockets[0], FDINFO_FS), "sockfs");
	close(null);
	close(proc);
	close(root);
	for (int i = 0; i < 2; i++) {
		close(pipes[i]);
		close(sockets[i]);
	}
}

static void test_none(void **state)
{
	static const int none[] = {-1, 9999, INT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		assert_string_equal(text_of(none[i], FDINFO_PATH), "<none>");
		assert_string_equal(text_of(none[i], FDINFO_FS), "<none>");
		assert_string_equal(text_of(none[i], FDINFO_DIR), "<none>");
		assert_int_equal(number_of(none[i], FDINFO_OFLAGS), 0);
		assert_int_equal(number_of(none[i], FDINFO_OFFSET), 0);
	}
	assert_string_equal(text_of(0, (enum fdinfo)99), "<unknown>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
