/* SPDX-License-Identifier: MIT */
/* Which files are opened for appending, when others may have made them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/base/own_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOBODY 65534

static char folder[] = "/tmp/own_file-XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return !mkdtemp(folder) || chdir(folder);
}

static int leave(void **state)
{
	static const char *const names[] = {"file", "link", "other",
					    "fifo", "twin", "new"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unlink(names[i]);
	return chdir("/") || rmdir(folder);
}

static void make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);

	assert_true(fd >= 0);
	close(fd);
}

/* Each way of opening it: refused for that reason; NULL: it is opened. */
static void check(const char *path, const char *regular, const char *stream)
{
	const char *expected[] = {regular, stream};
	const enum own_file which[] = {OWN_FILE_REGULAR, OWN_FILE_STREAM};
	char text[128];
	struct err e;

	for (size_t i = 0; i < 2; i++) {
		int fd = own_file_append(path, which[i], &e);

		if (!expected[i]) {
			assert_true(fd >= 0);
			assert_true(fcntl(fd, F_GETFL) & O_APPEND);
			close(fd);
			continue;
		}
		assert_int_equal(fd, STATUS_PERM);
		snprintf(text, sizeof(text), "%s; -x freopen=any allows that",
			 expected[i]);
		assert_string_equal(e.text, text);
	}
}

static void test_own(void **state)
{
	struct err e;

	(void)state;
	check("new", NULL, NULL);
	make("file");
	check("file", NULL, NULL);
	assert_int_equal(own_file_append("none/file", OWN_FILE_STREAM, &e), STATUS_IO);
	assert_string_equal(e.text, "No such file or directory");
}

static void test_links(void **state)
{
	static const char why[] = "it is a symbolic link";
	struct err e;
	int fd;

	(void)state;
	make("file");
	assert_int_equal(symlink("file", "link"), 0);
	check("link", why, why);
	fd = own_file_append("link", OWN_FILE_ANY, &e);
	assert_true(fd >= 0);
	close(fd);
	unlink("file");
	check("link", why, why); /* it leads nowhere */
	assert_int_equal(access("file", F_OK), -1);
	make("file");
	assert_int_equal(link("file", "twin"), 0);
	check("twin", "the file has another name, too",
	      "the file has another name, too");
}

static void test_others(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(own_file_append(folder, OWN_FILE_REGULAR, &e), STATUS_IO);
	assert_string_equal(e.text, "Is a directory");
	assert_int_equal(mkfifo("fifo", 0644), 0);
	check("/dev/null", "it is no regular file", NULL);
	check("/dev/stderr", "it is a symbolic link", NULL);
	if (geteuid())
		skip();
	make("other");
	assert_int_equal(chown("other", NOBODY, NOBODY), 0);
	check("other", "it belongs to another user", "it belongs to another user");
	assert_int_equal(chown("fifo", NOBODY, NOBODY), 0);
	check("fifo", "it is no regular file", "it is no regular file");
}

/* A pipe of the user, with a reader. */
static void test_pipe(void **state)
{
	struct err e;
	int reader, fd;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0644), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(own_file_append("fifo", OWN_FILE_REGULAR, &e), STATUS_PERM);
	fd = own_file_append("fifo", OWN_FILE_STREAM, &e);
	assert_true(fd >= 0);
	close(fd);
	close(reader);
}

/* Only the file that was written, by its name. */
static void test_remove(void **state)
{
	struct err e;
	int fd;

	(void)state;
	fd = own_file_append("file", OWN_FILE_REGULAR, &e);
	assert_true(fd >= 0);
	make("other");
	assert_false(own_file_remove(fd, "other"));
	assert_int_equal(symlink("file", "link"), 0);
	assert_false(own_file_remove(fd, "link"));
	assert_true(own_file_remove(fd, "file"));
	assert_int_equal(access("file", F_OK), -1);
	close(fd);
	fd = open("/dev/null", O_WRONLY);
	assert_false(own_file_remove(fd, "/dev/null"));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own, enter, leave),
		cmocka_unit_test_setup_teardown(test_links, enter, leave),
		cmocka_unit_test_setup_teardown(test_others, enter, leave),
		cmocka_unit_test_setup_teardown(test_pipe, enter, leave),
		cmocka_unit_test_setup_teardown(test_remove, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
