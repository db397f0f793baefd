/* SPDX-License-Identifier: MIT */
/* Events of emit(): what is declared to the kernel, the bytes, the line of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dlang/dlang.h"
#include "tests/unit/support/dlang_front.h"
#include "tracer/emit/emit_format.h"

static const struct record record = {
	.pid = 3, .tid = 4, .cpu = 7, .time = UINT64_C(12000000345)};

/* A tuple: numbers, and texts as their length and bytes padded to 8. */
struct tuple {
	unsigned char bytes[2048];
	size_t n;
};

static void add_number(struct tuple *t, uint64_t number)
{
	memcpy(t->bytes + t->n, &number, 8);
	t->n += 8;
}

static void add_text(struct tuple *t, const char *text, uint32_t n)
{
	memcpy(t->bytes + t->n, &n, 4);
	memcpy(t->bytes + t->n + 4, text, n);
	t->n += align_up(4 + (uint64_t)n, 8);
}

/* The image of one clause. Caller frees. */
static void *compile(const char *program)
{
	const struct dlang_env env = {.probe = front_probe, .option = front_option};
	const struct dlang_source source = {
		.text = program, .name = "ARG", .arg0 = "dtrace"};
	struct dlang *d = dlang_new(&env);
	struct strbuf messages = {0};
	struct dlang_program compiled;
	struct err e;
	void *image;
	size_t size;

	if (dlang_compile(d, &source, &compiled, &messages))
		fail_msg("%s", messages.data);
	assert_int_equal(dlang_link(d, &image, &size, &e), 0);
	strbuf_release(&messages);
	dlang_free(d);
	return image;
}

#define PROGRAM "e { emit(\"an_event1\", (int8_t)pid, \"a\", (uint32_t)5, execname); }"

static struct tuple values(const char *first, const char *second)
{
	struct tuple t = {0};

	add_number(&t, 0xfe); /* -2 */
	add_text(&t, first, (uint32_t)strlen(first));
	add_number(&t, 0xffffffff);
	add_text(&t, second, (uint32_t)strlen(second));
	return t;
}

static void test_declaration(void **state)
{
	void *image = compile(PROGRAM);
	void *empty = compile("e { emit(\"x\"); }");
	struct strbuf out = {0};

	(void)state;
	emit_declaration(image, program_action(image, 0), &out);
	assert_string_equal(out.data,
			    "an_event1 u64 time; s32 pid; s32 tid; u32 cpu; s64 arg0; "
			    "__rel_loc char[] arg1; u64 arg2; __rel_loc char[] arg3");
	strbuf_reset(&out);
	emit_declaration(empty, program_action(empty, 0), &out);
	assert_string_equal(out.data, "x u64 time; s32 pid; s32 tid; u32 cpu");
	strbuf_release(&out);
	free(image);
	free(empty);
}

/* Texts count from the end of their words: 20 bytes, then 8, 4, 8, 4, then the texts. */
static void test_bytes(void **state)
{
	static const uint32_t place1 = (8 + 4) | 6u << 16, place2 = 6 | 1u << 16;
	const int64_t minus_two = -2;
	const uint64_t number = 0xffffffff;
	void *image = compile(PROGRAM);
	struct tuple t = values("hello", "");
	struct emit_event x = {image, program_action(image, 0), &record, t.bytes, t.n};
	struct strbuf out = {0};
	const uint32_t cpu = 7;

	(void)state;
	assert_int_equal(emit_bytes(&x, &out), 0);
	assert_int_equal(out.len, 44 + 6 + 1);
	assert_memory_equal(out.data, &record.time, 8);
	assert_memory_equal(out.data + 8, &record.pid, 4);
	assert_memory_equal(out.data + 12, &record.tid, 4);
	assert_memory_equal(out.data + 16, &cpu, 4);
	assert_memory_equal(out.data + 20, &minus_two, 8);
	assert_memory_equal(out.data + 28, &place1, 4);
	assert_memory_equal(out.data + 32, &number, 8);
	assert_memory_equal(out.data + 40, &place2, 4);
	assert_memory_equal(out.data + 44, "hello\0", 7);
	strbuf_release(&out);
	free(image);
}

static void test_line(void **state)
{
	static const struct {
		const char *first, *second, *line;
	} rows[] = {
		{"hello", "",
		 "an_event1: time=12.000000345 pid=3 tid=4 cpu=7 arg0=-2 "
		 "arg1=\"hello\" "
		 "arg2=4294967295 arg3=\"\"\n"},
		{"a\"b\\c\n", "\x1b[31m\xff",
		 "an_event1: time=12.000000345 pid=3 tid=4 cpu=7 arg0=-2 "
		 "arg1=\"a\\\"b\\\\c\\\\x0a\" arg2=4294967295 "
		 "arg3=\"\\\\x1b[31m\\\\xff\"\n"},
	};
	void *image = compile(PROGRAM);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tuple t = values(rows[i].first, rows[i].second);
		struct emit_event x = {image, program_action(image, 0), &record,
				       t.bytes, t.n};
		struct strbuf out = {0};

		assert_int_equal(emit_line(&x, &out), 0);
		assert_string_equal(out.data, rows[i].line);
		strbuf_release(&out);
	}
	free(image);
}

/* What a target has cut or made long. */
static void test_hostile(void **state)
{
	void *image = compile(PROGRAM);
	char text[1001];
	struct tuple t;
	struct emit_event x = {image, program_action(image, 0), &record, t.bytes, 0};
	struct strbuf out = {0};

	(void)state;
	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	t = values("hello", "world");
	for (x.n = 0; x.n + 8 <= t.n; x.n++) {
		assert_int_equal(emit_bytes(&x, &out), STATUS_BADFMT);
		assert_int_equal(emit_line(&x, &out), STATUS_BADFMT);
		assert_int_equal(out.len, 0);
	}
	t = values("x", text);
	x.n = t.n;
	assert_int_equal(emit_line(&x, &out), 0);
	assert_true(out.len <= EMIT_LINE_MAX);
	assert_string_equal(out.data + out.len - 4, "...\n");
	assert_int_equal(front_count(out.data, "\n"), 1);
	strbuf_release(&out);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_declaration),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
