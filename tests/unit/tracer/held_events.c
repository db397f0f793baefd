/* SPDX-License-Identifier: MIT */
/* The last records that fit are held, whole and in their order, and go to the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "tracer/recording/write/held_events.h"

#define LIMIT	 4096
#define FILE_TOP 16 /* bytes of the file before its records */

/* A record of size bytes, all of them its number but the header. */
static void add(struct held_events *h, uint32_t number, uint16_t size)
{
	unsigned char record[2 * LIMIT];
	const struct perf_event_header header = {.type = number, .size = size};

	memset(record, (int)number, sizeof(record));
	memcpy(record, &header, sizeof(header));
	held_events_add(h, record, size);
}

/* What is held, as written to a file: the first number, and how many; all bytes are read. */
static uint32_t held(const struct held_events *h, uint32_t *first, size_t *bytes)
{
	char path[] = "/tmp/held-events-XXXXXX";
	unsigned char data[2 * LIMIT + FILE_TOP];
	struct perf_event_header header;
	struct event_file *f;
	struct err e;
	uint32_t n = 0;
	FILE *in;
	size_t got;

	close(mkstemp(path));
	unlink(path);
	assert_int_equal(event_file_create(path, &f, &e), 0);
	held_events_write(h, f);
	event_file_close(f, true);
	in = fopen(path, "rb");
	assert_non_null(in);
	got = fread(data, 1, sizeof(data), in);
	fclose(in);
	unlink(path);
	*bytes = got - FILE_TOP;
	for (size_t at = FILE_TOP; at < got; at += header.size, n++) {
		memcpy(&header, data + at, sizeof(header));
		assert_true(header.size >= sizeof(header) && header.size <= got - at);
		*first = n ? *first : header.type;
		assert_int_equal(header.type, *first + n);
		for (size_t i = sizeof(header); i < header.size; i++)
			assert_int_equal(data[at + i], (unsigned char)header.type);
	}
	return n;
}

static void test_last(void **state)
{
	struct held_events *h = held_events_new(LIMIT);
	uint32_t first = 0, n;
	size_t bytes;

	(void)state;
	assert_int_equal(held(h, &first, &bytes), 0);
	for (uint32_t i = 1; i <= 5000; i++) {
		add(h, i, (uint16_t)(8 + i * 40 % 520));
		if (i % 97)
			continue;
		n = held(h, &first, &bytes);
		assert_int_equal(first + n - 1, i);
		assert_in_range(bytes, i > 100 ? LIMIT - 528 : 0, LIMIT);
	}
	held_events_free(h);
}

/* A record as large as the limit is the only one; a larger one is none. */
static void test_large(void **state)
{
	struct held_events *h = held_events_new(LIMIT);
	uint32_t first = 0;
	size_t bytes;

	(void)state;
	add(h, 1, 64);
	add(h, 2, LIMIT);
	assert_int_equal(held(h, &first, &bytes), 1);
	assert_int_equal(first, 2);
	add(h, 3, LIMIT + 8);
	assert_int_equal(held(h, &first, &bytes), 1);
	assert_int_equal(first, 2);
	add(h, 4, 8);
	assert_int_equal(held(h, &first, &bytes), 1);
	assert_int_equal(first, 4);
	held_events_free(h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
