/* SPDX-License-Identifier: MIT */
/* Lists of the kernel's events: files, what is chosen by them, and what is no list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/events/event_lists.h"

static char path[] = "/tmp/event-lists-XXXXXX";

static void write_file(const void *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

static int read_text(struct event_lists *v, const char *text, struct err *e)
{
	write_file(text, strlen(text));
	return event_lists_read(v, path, e);
}

#define FIRST                                                                          \
	"# a comment\n\n"                                                              \
	"keyword io: block scsi:*\n"                                                   \
	" \tkeyword mm:\tkmem:k[mf]* \r\n"                                             \
	"keyword io: ext4:ext4_write\n"                                                \
	"level error: *:*_error\n"                                                     \
	"level info: block\n"                                                          \
	"keyword empty:"

/* Which of these events are there: '1' and '0' in this order. */
static const char *const events[][2] = {{"block", "rq"},     {"block", "rq_error"},
					{"scsi", "x"},	     {"ext4", "ext4_write"},
					{"ext4", "ext4_wr"}, {"kmem", "kmalloc"},
					{"kmem", "mm_page"}, {"net", "net_error"}};

static void test_choice(void **state)
{
	static const struct {
		const char *second, *keywords, *level, *found;
	} rows[] = {
		{NULL, NULL, NULL, "11111111"},
		{NULL, "io", NULL, "11110000"},
		{NULL, "mm", NULL, "00000100"},
		{NULL, "mm,io", NULL, "11110100"},
		{NULL, "empty", NULL, "00000000"},
		{NULL, NULL, "error", "01000001"},
		{NULL, NULL, "2", "01000001"},
		{NULL, NULL, "critical", "00000000"},
		{NULL, NULL, "info", "11000001"},
		{NULL, NULL, "verbose", "11111111"},
		{NULL, "io", "error", "01000000"},
		{"keyword io: net\n", "io", NULL, "00000001"},
		{"keyword io: net\nkeyword io: scsi", "io,mm", NULL, "00100101"},
		{"level 2: scsi", NULL, "error", "00100000"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct event_lists *v = event_lists_new();
		char found[ARRAY_LEN(events) + 1] = "";
		struct err e;

		assert_int_equal(read_text(v, FIRST, &e), 0);
		if (rows[i].second)
			assert_int_equal(read_text(v, rows[i].second, &e), 0);
		assert_int_equal(
			event_lists_choose(v, rows[i].keywords, rows[i].level, &e), 0);
		for (size_t k = 0; k < ARRAY_LEN(events); k++)
			found[k] = event_lists_has(v, events[k][0], events[k][1]) ? '1'
										  : '0';
		assert_string_equal(found, rows[i].found);
		event_lists_free(v);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"keyword io block\n", ":1: a line is 'keyword"},
		{"# x\nkeyword\n", ":2: a line is 'keyword"},
		{"keyword io :\n", ":1: a line is 'keyword"},
		{"keyword i.o: x\n", ":1: a line is 'keyword"},
		{"keyword : x\n", ":1: a line is 'keyword"},
		{"[io]\n", ":1: a line is 'keyword"},
		{"level high: x", ":1: the levels are critical error"},
		{"level 0: x", ":1: the levels are critical error"},
		{"level 6: x", ":1: the levels are critical error"},
		{"keyword a: b\nkeyword io: x:\n", ":2: a pattern is SYSTEM"},
		{"keyword io: :x\n", ":1: a pattern is SYSTEM"},
		{"keyword io: a:b:c\n", ":1: a pattern is SYSTEM"},
	};
	struct event_lists *v = event_lists_new();
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(read_text(v, rows[i].text, &e), STATUS_SYNTAX);
		assert_int_equal(strncmp(e.text, path, strlen(path)), 0);
		assert_non_null(strstr(e.text, rows[i].message));
	}
	write_file("keyword io: x\0y\n", 16);
	assert_int_equal(event_lists_read(v, path, &e), STATUS_SYNTAX);
	assert_int_equal(event_lists_read(v, "/no/such", &e), STATUS_NOENT);
	assert_int_equal(event_lists_read(v, "/tmp", &e), STATUS_IO);
	assert_int_equal(event_lists_read(v, "/dev/zero", &e), STATUS_LIMIT);
	event_lists_free(v);
}

/* The message says which there are. */
static void test_unknown(void **state)
{
	struct event_lists *v = event_lists_new();
	struct err e;

	(void)state;
	assert_int_equal(event_lists_choose(v, "io", NULL, &e), STATUS_INVAL);
	assert_string_equal(e.text, "there is no keyword 'io'; there are none");
	assert_int_equal(read_text(v, FIRST, &e), 0);
	assert_int_equal(event_lists_choose(v, "io,ios", NULL, &e), STATUS_INVAL);
	assert_string_equal(e.text,
			    "there is no keyword 'ios'; there are io, mm, empty");
	assert_int_equal(event_lists_choose(v, "", NULL, &e), STATUS_INVAL);
	assert_int_equal(event_lists_choose(v, NULL, "loud", &e), STATUS_INVAL);
	assert_string_equal(e.text, "there is no level 'loud'; there are " EVENT_LEVELS
				    ", or 1 to 5");
	event_lists_free(v);
}

static int begin(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int end(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
