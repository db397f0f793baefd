/* SPDX-License-Identifier: MIT */
/* Frames of Python from made-up structures, most of which make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "tracer/keeper/fire/python.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/space.h"

#define TID 4242

struct text_object {
	uint64_t head[2], length, hash;
	uint32_t state, unused;
	uint64_t wide;
	char bytes[300];
};

/* The parts of a process that are read, by their distances in CPython 3.11. */
struct world {
	uint64_t runtime[16], interpreter[8], thread[24], cframe[2];
	struct {
		uint64_t words[10];
	} frame[2];
	uint64_t code[40];
	struct text_object name, file;
	struct {
		uint64_t words[4];
		uint8_t bytes[64];
	} lines;
};

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

#define ASCII (1u << 2 | 1u << 5 | 1u << 6 | 1u << 7)

static void set_text(struct text_object *t, const char *s)
{
	t->length = strlen(s);
	t->state = ASCII;
	memcpy(t->bytes, s, t->length);
}

/* Two frames of one function: "f (b.py:7)", and its caller at line 9. */
static void make_world(struct world *w)
{
	static const uint8_t lines[] = {
		0x80 | 11 << 3 | 1, 0, 0, /* two units, one line on: 7 */
		0x80 | 13 << 3 | 0, 4,	  /* one unit, two lines on: 9 */
		0x80 | 15 << 3 | 0,	  /* no line */
	};
	int32_t first = 6;

	memset(w, 0, sizeof(*w));
	w->runtime[5] = address(w->interpreter);
	w->interpreter[2] = address(w->thread);
	w->thread[20] = TID;
	w->thread[7] = address(w->cframe);
	w->cframe[1] = address(&w->frame[0]);
	for (int i = 0; i < 2; i++) {
		w->frame[i].words[4] = address(w->code);
		w->frame[i].words[7] = address(w->code) + 184 + (i ? 4 : 0);
	}
	w->frame[0].words[6] = address(&w->frame[1]);
	memcpy(&w->code[9], &first, sizeof(first));
	w->code[14] = address(&w->file);
	w->code[16] = address(&w->name);
	w->code[17] = address(&w->lines);
	w->lines.words[2] = sizeof(lines);
	memcpy(w->lines.bytes, lines, sizeof(lines));
	set_text(&w->name, "f");
	set_text(&w->file, "/a/b.py");
}

static void walk(const struct world *w, uint32_t n, char *buf, size_t cap)
{
	struct space space = {.mem = mem_open(getpid()), .python = address(w->runtime)};
	struct process process = {.pid = getpid(), .space = &space};
	const struct task task = {.tid = TID, .process = &process};
	size_t len;

	len = python_stack(&task, buf, cap, n);
	assert_int_equal(len, strlen(buf));
	mem_close(space.mem);
}

/* What a target may write: a word, at a distance in the world. */
struct damage {
	size_t at;
	uint64_t value;
	const char *text; /* the frames then */
};

#define AT(member) offsetof(struct world, member)
#define WHOLE	   "f (b.py:7)\nf (b.py:9)"

static void test_damage(void **state)
{
	static const struct damage cases[] = {
		{AT(code[0]), 0, WHOLE},
		{AT(runtime[5]), 0, ""},
		{AT(runtime[5]), 0x1000, ""},
		{AT(thread[20]), TID + 1, ""},
		{AT(thread[7]), UINT64_MAX - 7, ""},
		{AT(cframe[1]), 0, ""},
		{AT(frame[0].words[6]), 8, "f (b.py:7)\n? (?:?)"},
		{AT(frame[0].words[4]), 0, "? (?:?)\nf (b.py:9)"},
		{AT(frame[0].words[7]), 0, "f (b.py:7)\nf (b.py:9)"},
		{AT(frame[0].words[7]), UINT64_MAX, "f (b.py:6)\nf (b.py:9)"},
		{AT(code[16]), 1, "? (b.py:7)\n? (b.py:9)"},
		{AT(code[17]), 1, "f (b.py:6)\nf (b.py:6)"},
		{AT(lines.words[2]), 0, "f (b.py:6)\nf (b.py:6)"},
		{AT(lines.words[2]), 1, "f (b.py:7)\nf (b.py:6)"},
		{AT(name.length), UINT64_MAX, "? (b.py:7)\n? (b.py:9)"},
		{AT(name.length), 0, " (b.py:7)\n (b.py:9)"},
		{AT(name.state), 0, "? (b.py:7)\n? (b.py:9)"},
		{AT(name.state), ASCII | 3u << 2, "? (b.py:7)\n? (b.py:9)"},
		{AT(name.bytes), 0x1b, "? (b.py:7)\n? (b.py:9)"},
	};
	static struct world w;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char buf[512];

		make_world(&w);
		memcpy((char *)&w + cases[i].at, &cases[i].value,
		       cases[i].at == AT(name.state) ? 4 : 8);
		walk(&w, 10, buf, sizeof(buf));
		if (strcmp(buf, cases[i].text) != 0)
			fail_msg("case %zu: '%s'", i, buf);
	}
}

/* Frames, threads and interpreters that lead back to themselves, in any buffer. */
static void test_circles(void **state)
{
	static struct world w;
	char buf[4096];

	(void)state;
	make_world(&w);
	w.frame[0].words[6] = address(&w.frame[0]);
	walk(&w, 3, buf, sizeof(buf));
	assert_string_equal(buf, "f (b.py:7)\nf (b.py:7)\nf (b.py:7)");
	for (size_t cap = 1; cap < 40; cap++) {
		memset(buf, 'x', sizeof(buf));
		walk(&w, UINT32_MAX, buf, cap);
		assert_true(strlen(buf) < cap);
		assert_int_equal(buf[cap], 'x');
	}
	w.thread[20] = 1;
	w.thread[1] = address(w.thread);
	w.interpreter[0] = address(w.interpreter);
	walk(&w, 3, buf, sizeof(buf));
	assert_string_equal(buf, "");
}

/* Long names are cut, of a path the end stays; a table without an end has one. */
static void test_long(void **state)
{
	static struct world w;
	char buf[4096], text[256];

	(void)state;
	make_world(&w);
	memset(text, 'n', 250);
	text[250] = '\0';
	set_text(&w.name, text);
	text[240] = '/';
	set_text(&w.file, text);
	w.frame[0].words[6] = 0;
	walk(&w, 3, buf, sizeof(buf));
	assert_int_equal(strlen(buf), 128 + strlen(" (nnnnnnnnn:7)"));
	assert_string_equal(buf + 128, " (nnnnnnnnn:7)");
	w.lines.words[2] = UINT64_MAX;
	memset(w.lines.bytes, 0xff, sizeof(w.lines.bytes));
	w.frame[0].words[7] = UINT64_MAX / 2;
	walk(&w, 3, buf, sizeof(buf));
	assert_int_equal(strncmp(buf + 128, " (nnnnnnnnn:", 12), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_circles),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
