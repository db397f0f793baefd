/* SPDX-License-Identifier: MIT */
/* Frames of Python from made-up structures, most of which make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/keeper/python/objects.h"
#include "tracer/keeper/python/python.h"
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

/* known: where the thread's state was found before, and is now. */
static void walk_again(const struct world *w, uint64_t *known, uint32_t n, char *buf,
		       size_t cap)
{
	struct space space = {.mem = mem_open(getpid()), .python = address(w->runtime)};
	struct process process = {.pid = getpid(), .space = &space};
	struct task task = {.tid = TID, .process = &process, .python = *known};
	size_t len;

	len = python_stack(&task, buf, cap, n);
	assert_int_equal(len, strlen(buf));
	mem_close(space.mem);
	*known = task.python;
}

static void walk(const struct world *w, uint32_t n, char *buf, size_t cap)
{
	uint64_t known = 0;

	walk_again(w, &known, n, buf, cap);
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

/* What was found once is not looked for again while it is in the list of threads. */
static void test_known(void **state)
{
	static struct world w;
	uint64_t before[2], known = 0;
	char buf[512];

	(void)state;
	make_world(&w);
	w.thread[2] = address(w.interpreter);
	walk_again(&w, &known, 10, buf, sizeof(buf));
	assert_string_equal(buf, WHOLE);
	assert_int_equal(known, address(w.thread));
	w.runtime[5] = 0; /* so it is not found otherwise */
	walk_again(&w, &known, 10, buf, sizeof(buf));
	assert_string_equal(buf, WHOLE);
	w.thread[0] = address(before); /* another one is before it */
	before[1] = address(w.thread);
	walk_again(&w, &known, 10, buf, sizeof(buf));
	assert_string_equal(buf, WHOLE);
	before[1] = 0;
	walk_again(&w, &known, 10, buf, sizeof(buf));
	assert_string_equal(buf, "");
	assert_int_equal(known, 0);
	w.thread[0] = 0;
	w.thread[20] = TID + 1;
	known = address(w.thread);
	walk_again(&w, &known, 10, buf, sizeof(buf));
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

/* Each of a thousand frames has a table of 64 KiB: most are not read. */
static void test_tables(void **state)
{
	static char buf[65536];
	static struct {
		uint64_t words[4];
		uint8_t bytes[65536];
	} table;
	static struct world w;
	size_t nlines = 0;

	(void)state;
	make_world(&w);
	w.frame[0].words[6] = address(&w.frame[0]);
	w.frame[0].words[7] = UINT64_MAX / 2;
	w.code[17] = address(&table);
	table.words[2] = sizeof(table.bytes);
	memset(table.bytes, 0x80, sizeof(table.bytes));
	walk(&w, 1000, buf, sizeof(buf));
	for (const char *at = buf; (at = strstr(at, "f (b.py:6)")); at++)
		nlines++;
	assert_in_range(nlines, 20, 100);
}

/* ---- among native frames ---- */

/*
 * A stack of four native frames, found by their frame pointers. The second and the third
 * evaluate Python: the second two frames, the third one.
 */
struct native {
	uint64_t words[4]
		      [8]; /* of each: its variables, the frame pointer, the return */
	uint64_t end[2];
};

struct merged {
	struct world w;
	struct native s;
	struct {
		uint64_t words[10];
	} outer; /* the frame that the third runs */
	uint64_t none[3];
};

#define PC(i)	  (0x1000u + (i))
#define ENTRY	  (UINT64_C(1) << 32) /* is_entry, after stacktop */
#define CFRAME(i) 2		      /* words into a frame */

static uint64_t cframe_at(const struct merged *m, unsigned i)
{
	return address(&m->s.words[i][CFRAME(i)]);
}

static void set_cframe(struct merged *m, unsigned i, uint64_t frame, uint64_t previous)
{
	m->s.words[i][CFRAME(i) + 1] = frame;
	m->s.words[i][CFRAME(i) + 2] = previous;
}

static void make_merged(struct merged *m)
{
	memset(m, 0, sizeof(*m));
	make_world(&m->w);
	for (unsigned i = 0; i < 4; i++) {
		m->s.words[i][6] = i < 3 ? address(&m->s.words[i + 1][6]) : 0;
		m->s.words[i][7] = i < 3 ? PC(i + 1) : 0;
	}
	memcpy(&m->outer, &m->w.frame[1], sizeof(m->outer));
	m->w.frame[1].words[6] = address(&m->outer);
	m->w.frame[1].words[8] = ENTRY;
	m->outer.words[8] = ENTRY;
	set_cframe(m, 1, address(&m->w.frame[0]), cframe_at(m, 2));
	set_cframe(m, 2, address(&m->outer), address(m->none));
	m->w.thread[7] = cframe_at(m, 1);
}

struct names {
	int fd;
	uint64_t bytes;
	char *map; /* as the front sees it */
	struct python_words *words;
};

static void open_names(struct names *n, uint64_t bytes)
{
	struct err e;

	n->bytes = bytes;
	n->fd = memfd_create("names", MFD_CLOEXEC);
	assert_int_equal(ftruncate(n->fd, (off_t)bytes), 0);
	n->map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, n->fd, 0);
	assert_true(n->map != MAP_FAILED);
	n->words = python_words_open((struct link_memory){n->fd, bytes}, &e);
	assert_non_null(n->words);
}

static void close_names(struct names *n)
{
	python_words_close(n->words);
	munmap(n->map, n->bytes);
	close(n->fd);
}

static uint64_t lost(const struct names *n)
{
	return ((struct python_names_file *)(void *)n->map)->lost;
}

static const struct python_name_entry *entry(const struct names *n, uint64_t word)
{
	uint64_t at = (word & UINT32_MAX) * 8;

	assert_true(python_is_frame(word) && at < n->bytes);
	return (void *)(n->map + at);
}

/* The frames as text: "0 f:7 f:9 f:9 3", native ones by their number. */
static void merge(const struct merged *m, uint32_t n, struct names *names,
		  char text[256])
{
	const size_t cap = 256;
	struct space space = {.mem = mem_open(getpid()),
			      .python = address(m->w.runtime)};
	struct process process = {.pid = getpid(), .space = &space};
	struct task task = {.tid = TID, .process = &process};
	const struct regs regs = {.rip = PC(0),
				  .rsp = address(&m->s.words[0][0]),
				  .rbp = address(&m->s.words[0][6])};
	struct stacks_thread t = {.mem = space.mem, .regs = &regs};
	uint64_t pcs[32] = {0};
	uint32_t count;

	assert_true(n < ARRAY_LEN(pcs));
	count = python_merge(&task, &t, names->words, pcs, n);
	assert_true(count <= n && !pcs[n]);
	*text = '\0';
	for (uint32_t i = 0; i < count; i++) {
		const struct python_name_entry *x;
		size_t len = strlen(text);

		if (!python_is_frame(pcs[i])) {
			snprintf(text + len, cap - len, "%s%u", i ? " " : "",
				 (unsigned)(pcs[i] - PC(0)));
			continue;
		}
		x = entry(names, pcs[i]);
		snprintf(text + len, cap - len, "%s%s:%u", i ? " " : "", x->text,
			 x->line);
	}
	mem_close(space.mem);
}

#define IN(member) offsetof(struct merged, member)
#define MERGED	   "0 f:7 f:9 f:9 3"

/* What a target may write there, and a thread that is just entering or leaving one. */
static void test_merge(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		const char *text;
	} cases[] = {
		{IN(none), 0, MERGED},
		/* native frames alone */
		{IN(w.thread[20]), TID + 1, ""},
		{IN(w.thread[7]), 0, "0 1 2 3"},
		{IN(w.thread[7]), UINT64_MAX - 7, "0 1 2 3"},
		/* the frame of one evaluation is not there, or not yet */
		{IN(s.words[1][3]), 0, "0 1 f:9 3"},
		{IN(s.words[1][3]), 8, "0 1 f:9 3"},
		{IN(w.frame[1].words[6]), 8, "0 1 f:9 3"},
		{IN(w.frame[0].words[6]), 0, "0 1 f:9 3"},
		{IN(w.frame[0].words[8]), ENTRY, "0 1 f:9 3"},
		{IN(outer.words[6]), 8, "0 f:7 f:9 2 3"},
		/* no chain leads to the second evaluation */
		{IN(s.words[1][4]), 0, "0 1 2 3"},
		/* names that are none */
		{IN(w.frame[0].words[4]), 1, "0 ?:0 f:9 f:9 3"},
		{IN(w.code[16]), 1, "0 ?:7 ?:9 ?:9 3"},
		{IN(w.name.length), UINT64_MAX, "0 ?:7 ?:9 ?:9 3"},
		{IN(w.name.bytes), 0x1b, "0 ?:7 ?:9 ?:9 3"},
		{IN(w.lines.words[2]), 0, "0 f:6 f:6 f:6 3"},
	};
	static struct merged m;
	struct names names;

	(void)state;
	open_names(&names, 1 << 20);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[256];

		make_merged(&m);
		memcpy((char *)&m + cases[i].at, &cases[i].value, 8);
		merge(&m, 20, &names, text);
		if (strcmp(text, cases[i].text) != 0)
			fail_msg("case %zu: '%s'", i, text);
	}
	assert_int_equal(lost(&names), 0);
	close_names(&names);
}

/* No more frames than asked for, and no chain without an end. */
static void test_merge_limits(void **state)
{
	static const char *const wanted[] = {
		"", "0", "0 f:7", "0 f:7 f:9", "0 f:7 f:9 f:9", MERGED};
	static struct merged m;
	struct names names;
	char text[256];

	(void)state;
	open_names(&names, 1 << 20);
	make_merged(&m);
	for (uint32_t n = 0; n < ARRAY_LEN(wanted); n++) {
		merge(&m, n, &names, text);
		assert_string_equal(text, wanted[n]);
	}
	m.w.frame[0].words[6] = address(&m.w.frame[0]);
	merge(&m, 7, &names, text);
	assert_string_equal(text, "0 f:7 f:7 f:7 f:7 f:7 f:7");
	make_merged(&m);
	set_cframe(&m, 1, 0, cframe_at(&m, 1));
	merge(&m, 7, &names, text);
	assert_string_equal(text, "0 1 2 3");
	close_names(&names);
}

/* Equal names are one word; what one process adds is limited, and so is all of it. */
static void test_words(void **state)
{
	static char function[PYTHON_NAME_MAX];
	struct python_name name = {function, "a.py", 1};
	struct names names;
	uint64_t used = 0, other = 0, word, n = 0;

	(void)state;
	open_names(&names, PYTHON_NAMES_OF_ONE + (1 << 20));
	memset(function, 'x', sizeof(function) - 1);
	word = python_words_of(names.words, &used, &name);
	assert_string_equal(entry(&names, word)->text, function);
	assert_string_equal(entry(&names, word)->text + sizeof(function), "a.py");
	name.file = "b.py";
	assert_true(python_words_of(names.words, &used, &name) != word);
	name.file = "a.py";
	for (;; n++) {
		uint64_t next;

		name.line++;
		next = python_words_of(names.words, &used, &name);
		if (next == PYTHON_FRAME)
			break;
		assert_int_equal(entry(&names, next)->line, name.line);
	}
	assert_int_equal(lost(&names), 1);
	assert_true(used <= PYTHON_NAMES_OF_ONE && n > 30000);
	name.line = 1;
	assert_true(python_words_of(names.words, &used, &name) == word);
	assert_true(python_words_of(names.words, &other, &name) == word);
	assert_int_equal(other, 0);
	for (name.line = 1u << 30; lost(&names) < 3; name.line++)
		python_words_of(names.words, &other, &name);
	assert_true(other > 500000 && other < 1 << 20);
	close_names(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage),	     cmocka_unit_test(test_circles),
		cmocka_unit_test(test_known),	     cmocka_unit_test(test_long),
		cmocka_unit_test(test_tables),	     cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_limits), cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
