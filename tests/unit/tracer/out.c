/* SPDX-License-Identifier: MIT */
#include "tracer/output/out.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* Pieces around the size of the buffer arrive whole and in order. */
static void test_sizes(void **state)
{
	static const size_t sizes[] = {
		1, OUT_BUFFER - 1, OUT_BUFFER, OUT_BUFFER + 1, 3, 3 * OUT_BUFFER, 0, 7,
	};
	struct out *o = out_new("dtrace");
	char *block = malloc(3 * OUT_BUFFER), *got;
	int fd = memfd_create("out", MFD_CLOEXEC);
	size_t total = 0;

	(void)state;
	o->fd = fd;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		memset(block, (int)('a' + i), sizes[i]);
		out_write(o, block, sizes[i]);
		total += sizes[i];
	}
	assert_int_equal(out_flush(o), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), total);
	got = mmap(NULL, total, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(got, MAP_FAILED);
	for (size_t i = 0, at = 0; i < ARRAY_LEN(sizes); i++)
		for (size_t k = 0; k < sizes[i]; k++, at++)
			assert_int_equal(got[at], 'a' + i);
	munmap(got, total);
	out_free(o);
	close(fd);
	free(block);
}

/* Text that has no room is left out at the end, whatever the sizes of its pieces. */
static void test_text(void **state)
{
	static const size_t sizes[][3] = {
		{1, OUT_BUFFER, 1},
		{1, OUT_BUFFER + 1, 1},
		{OUT_BUFFER - 1, 2, 5},
		{OUT_BUFFER, 3 * OUT_BUFFER, 0},
	};
	struct out *o = out_new_text("dtrace");
	char *block = malloc(3 * OUT_BUFFER);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		out_restart(o);
		assert_false(o->is_cut);
		for (int k = 0; k < 3; k++) {
			memset(block, 'a' + k, sizes[i][k]);
			out_write(o, block, sizes[i][k]);
		}
		assert_true(o->is_cut);
		assert_int_equal(o->len, OUT_BUFFER);
		for (size_t at = 0; at < OUT_BUFFER; at++)
			assert_int_equal(o->buffer[at], at < sizes[i][0] ? 'a' : 'b');
	}
	out_restart(o);
	out_puts(o, "short");
	assert_int_equal(out_flush(o), 0);
	assert_int_equal(o->len, 5);
	assert_false(o->is_cut);
	out_free(o);
	free(block);
}

/* The first failure stays, whatever is written later. */
static void test_errors(void **state)
{
	static const struct {
		bool is_pipe;
		int expected;
	} cases[] = {{false, ENOSPC}, {true, EPIPE}};

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct out *o = out_new("dtrace");
		int ends[2] = {-1, -1};

		if (cases[i].is_pipe) {
			assert_int_equal(pipe(ends), 0);
			close(ends[0]);
		} else {
			ends[1] = open("/dev/full", O_WRONLY | O_CLOEXEC);
		}
		o->fd = ends[1];
		out_puts(o, "text");
		assert_int_equal(o->error, 0);
		assert_int_equal(out_flush(o), STATUS_IO);
		assert_int_equal(errno, cases[i].expected);
		errno = 0;
		assert_int_equal(out_flush(o), STATUS_IO);
		assert_int_equal(errno, cases[i].expected);
		out_pad(o, 'x', 2 * OUT_BUFFER);
		assert_int_equal(out_flush(o), STATUS_IO);
		out_free(o);
		close(ends[1]);
	}
}

/* -o appends, and says why it cannot. */
static void test_redirect(void **state)
{
	char path[] = "/tmp/tracer_out_XXXXXX", text[32];
	int fd = mkstemp(path);
	struct err e;

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 2; i++) {
		struct out *o = out_new("dtrace");

		assert_int_equal(out_redirect(o, "/nosuch/file", &e), STATUS_IO);
		assert_string_equal(e.text, "No such file or directory");
		assert_int_equal(out_redirect(o, path, &e), 0);
		out_printf(o, "line %d\n", i);
		out_free(o);
	}
	assert_int_equal(pread(fd, text, sizeof(text), 0), 14);
	assert_memory_equal(text, "line 0\nline 1\n", 14);
	close(fd);
	unlink(path);
}

/* Data written before a message comes out before it. */
static void test_message(void **state)
{
	struct out *o = out_new("dtrace");
	int fd = memfd_create("both", MFD_CLOEXEC), saved;
	char text[64] = "";

	(void)state;
	o->fd = fd;
	saved = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	out_puts(o, "data ");
	out_message(o, "no %s, %d", "way", 7);
	out_puts(o, "more");
	out_flush(o);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, "data dtrace: no way, 7\nmore");
	out_free(o);
	close(fd);
}

static void test_fields(void **state)
{
	struct out *o = out_new("dtrace");

	(void)state;
	o->fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	out_int(o, -5, 4);
	out_int(o, INT64_MIN, 0);
	out_field(o, "ab", 2, 4, true);
	out_field(o, "ab", 2, 4, false);
	out_field(o, "abcde", 5, 4, false);
	out_printf(o, "%600s", "x");
	assert_memory_equal(o->buffer, "  -5-9223372036854775808ab    ababcde", 37);
	assert_int_equal(o->len, 37 + 600);
	assert_int_equal(o->buffer[o->len - 1], 'x');
	close(o->fd);
	o->len = 0;
	out_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	cmocka_unit_test(test_text),
		cmocka_unit_test(test_errors),	cmocka_unit_test(test_redirect),
		cmocka_unit_test(test_message), cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
