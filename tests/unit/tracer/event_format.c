/* SPDX-License-Identifier: MIT */
/* What tracepoints carry: formats, the struct that is made of an event, argN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/events/event_format.h"
#include "tracer/events/mapping_event.h"
#include "vm/base/host/strbuf.h"

#define STRSIZE 16

static const char text[] =
	"name: e\n"
	"ID: 300\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char name[4];\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:short small;\toffset:12;\tsize:2;\tsigned:1;\n"
	"\tfield:unsigned char tiny;\toffset:14;\tsize:1;\tsigned:0;\n"
	"\tfield:int number;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * pointer;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] text;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc unsigned int[] list;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:struct pair pair;\toffset:40;\tsize:16;\tsigned:0;\n"
	"\nprint fmt: \"%d\", REC->number\n";

/* An event of that format: 56 bytes, then what text and list lead to. */
static const unsigned char event[] = {
	44,  1,	  0,   0,   7,	 0, 0, 0, 'a', 'b', 'c', 'd', 0xfe, 0xff, 9, 0, /* 16 */
	5,   0,	  0,   0,   1,	 0, 0, 0, 1,   2,   3,	 4,   5,    6,	  7, 8, /* 32 */
	56,  0,	  6,   0,   24,	 0, 8, 0, /* text: at 56, 6; list: at 40 + 24, 8 */
	1,   1,	  1,   1,   1,	 1, 1, 1, 2,   2,   2,	 2,   2,    2,	  2, 2, /* 56 */
	'h', 'e', 'l', 'l', 'o', 0, 0, 0, 10,  0,   0,	 0,   20,   0,	  0, 0,
};

static struct event_format *parse(void)
{
	struct event_format *f;
	struct err e;

	assert_int_equal(event_format_parse(text, strlen(text), STRSIZE, &f, &e), 0);
	return f;
}

/* Where each field is in the struct. */
static void test_layout(void **state)
{
	static const struct {
		const char *name, *type;
		uint32_t to, room;
	} fields[] = {
		{"common_type", "unsigned short", 0, 2},
		{"common_pid", "int", 4, 4},
		{"name", "char [4]", 8, 4},
		{"small", "short", 12, 2},
		{"tiny", "unsigned char", 14, 1},
		{"number", "int", 16, 8},
		{"pointer", "userland const char *", 24, 8},
		{"text", "char [16]", 32, STRSIZE},
		{"list", "unsigned int [64]", 48, 4 * EVENT_ARRAY_MAX},
		{"pair", "unsigned char [16]", 304, 16},
	};
	struct event_format *f = parse();
	struct arena arena = {0};
	const struct type *t;
	const struct type_member *m;
	struct types ts;

	(void)state;
	types_init(&ts, &arena, STRSIZE);
	t = event_format_type(f, &ts, "struct sdt_e");
	assert_ptr_equal(event_format_type(f, &ts, "struct sdt_e"), t);
	m = t->members;
	assert_int_equal(f->id, 300);
	assert_int_equal(f->fields.len, ARRAY_LEN(fields));
	for (size_t i = 0; i < ARRAY_LEN(fields); i++, m = m->next) {
		assert_string_equal(f->fields.data[i].name, fields[i].name);
		assert_int_equal(f->fields.data[i].to, fields[i].to);
		assert_int_equal(f->fields.data[i].room, fields[i].room);
		assert_string_equal(m->type->name, fields[i].type);
		assert_int_equal(m->offset, fields[i].to);
	}
	assert_int_equal(t->size, 320);
	types_release(&ts);
	arena_release(&arena);
	event_format_free(f);
}

static void test_convert(void **state)
{
	static const uint32_t list[] = {10, 20, 0};
	struct event_format *f = parse();
	unsigned char *to = malloc(f->size);

	(void)state;
	event_format_convert(f, event, sizeof(event), to);
	assert_memory_equal(to + 8, "abcd", 4);
	assert_int_equal(to[16], 5);
	assert_string_equal((char *)to + 32, "hello");
	assert_memory_equal(to + 48, list, sizeof(list));
	assert_memory_equal(to + 304, event + 40, 16);
	free(to);
	event_format_free(f);
}

static void test_values(void **state)
{
	static const struct {
		const char *name;
		uint32_t element;
		uint64_t value;
	} rows[] = {
		{"name", 1, 'b'},
		{"name", 4, 0},
		{"small", 0, (uint64_t)-2},
		{"tiny", 0, 9},
		{"number", 0, 0x100000005},
		{"pointer", 0, 0x0807060504030201},
		{"text", 4, 'o'},
		{"text", 6, 0},
		{"list", 1, 20},
		{"list", 2, 0},
		{"list", UINT32_MAX, 0},
	};
	struct event_format *f = parse();

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(event_field_value(event_format_find(f, rows[i].name),
						   rows[i].element, event,
						   sizeof(event)),
				 rows[i].value);
	assert_null(event_format_find(f, "none"));
	assert_string_equal(event_format_field(f, 1)->name, "small");
	assert_null(event_format_field(f, 8));
	event_format_free(f);
}

/* An event that is cut anywhere, or whose words lead anywhere, is read in its bounds. */
static void test_damaged(void **state)
{
	struct event_format *f = parse();
	unsigned char *to = malloc(f->size), *copy;

	(void)state;
	for (size_t n = 0; n <= sizeof(event); n++) {
		copy = malloc(n ? n : 1); /* its end is the sanitizer's */
		memcpy(copy, event, n);
		event_format_convert(f, copy, n, to);
		for (uint32_t i = 0; i < 8; i++)
			event_field_value(event_format_field(f, i), i, copy, n);
		free(copy);
	}
	copy = malloc(sizeof(event));
	for (unsigned fill = 0; fill < 256; fill++) {
		memset(copy, (int)fill, sizeof(event));
		event_format_convert(f, copy, sizeof(event), to);
		assert_int_equal(to[32 + STRSIZE - 1], 0);
	}
	free(copy);
	free(to);
	event_format_free(f);
}

/* What is no format is refused. */
static void test_refused(void **state)
{
	/* the library leaks what it has read of a format that is cut within a field */
	static const char *const bad[] = {"", "name", "name: e\n", "name: e\nID: x\n"};
	struct event_format *f;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(
			event_format_parse(bad[i], strlen(bad[i]), STRSIZE, &f, &e),
			STATUS_BADFMT);
		assert_null(f);
	}
}

/* The event that is none of a tracepoint has a format that fits its bytes. */
static void test_mapping(void **state)
{
	static const struct {
		const char *path;
		bool is_file;
	} paths[] = {
		{"/usr/lib/libc.so.6", true},
		{"/", true},
		{"/memfd:x (deleted)", true},
		{"", false},
		{"//anon", false},
		{"[vdso]", false},
		{"/dev/zero (deleted)", false},
		{"anon_inode:x", false},
		{"/SYSV00000000 (deleted)", false},
	};
	static unsigned char bytes[MAPPING_BYTES];
	static char path[2 * MAPPING_PATH_MAX];
	struct mapping_event m = {0x1000, 0x2000, 0x3000, NULL, 0};
	const struct event_field *name;
	struct event_format *f;
	struct strbuf format = {0};
	struct err e;
	uint32_t n, size;

	(void)state;
	mapping_event_format(&format);
	assert_int_equal(event_format_parse(format.data, format.len, STRSIZE, &f, &e),
			 0);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		m.path = paths[i].path;
		m.n = strlen(m.path);
		assert_int_equal(mapping_event_is_file(&m), paths[i].is_file);
	}
	memset(path, 'p', sizeof(path)); /* no zero byte */
	m.path = path;
	for (m.n = 0; m.n <= sizeof(path); m.n = 2 * m.n + 1) {
		n = mapping_event_make(&m, 7, bytes);
		assert_in_range(n, 1, MAPPING_BYTES);
		for (uint32_t i = 0; i < 3; i++)
			assert_int_equal(event_field_value(event_format_field(f, i), 0,
							   bytes, n),
					 (i + 1) * 0x1000);
		name = event_format_find(f, "filename");
		assert_memory_equal(event_field_bytes(name, bytes, n, &size), path,
				    min_u64(m.n, MAPPING_PATH_MAX - 1));
		assert_int_equal(size, min_u64(m.n, MAPPING_PATH_MAX - 1) + 1);
		assert_int_equal(bytes[n - 1], 0);
	}
	assert_true(mapping_event_is(MAPPING_SYSTEM, MAPPING_NAME));
	assert_false(mapping_event_is(NULL, MAPPING_NAME));
	event_format_free(f);
	strbuf_release(&format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	cmocka_unit_test(test_convert),
		cmocka_unit_test(test_values),	cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_mapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
