/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/python.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * CPython 3.11: Include/internal/pycore_runtime.h, pycore_interp.h, pycore_frame.h and
 * Include/cpython/{pystate,code,unicodeobject}.h, on x86-64. The front has compared the
 * version (tracer/jit/python.c).
 */
enum {
	RUNTIME_INTERPRETERS = 40,
	INTERPRETER_NEXT = 0,
	INTERPRETER_THREADS = 16,
	THREAD_NEXT = 8,
	THREAD_CFRAME = 56,
	THREAD_NATIVE_ID = 160,
	CFRAME_FRAME = 8,
	FRAME_CODE = 32,
	FRAME_PREVIOUS = 48,
	FRAME_INSTRUCTION = 56,
	CODE_FIRST_LINE = 72,
	CODE_FILENAME = 112,
	CODE_QUALNAME = 128,
	CODE_LINES = 136,
	CODE_INSTRUCTIONS = 184,
	BYTES_SIZE = 16,
	BYTES_DATA = 32,
	TEXT_LENGTH = 16,
	TEXT_STATE = 32,
	TEXT_ASCII_DATA = 48,
	TEXT_DATA = 72,
	UNIT = 2, /* bytes of an instruction */
};

#define INTERPRETERS_MAX 16
#define THREADS_MAX	 4096
#define TEXT_MAX	 128 /* characters of a name; of a path the last ones */
#define LINES_MAX	 65536
#define READS_MAX	 4000 /* of one stack: some 40 ms */

struct python {
	const struct task *task;
	char *buf;
	size_t cap, len;
	unsigned nreads;
};

static bool load(struct python *p, uint64_t at, void *to, size_t n)
{
	return p->nreads++ < READS_MAX &&
	       mem_load(p->task->process->space->mem, taddr_of(at), to, n) >= 0;
}

/* The word at an address; 0: unreadable. */
static uint64_t word(struct python *p, uint64_t at)
{
	uint64_t value;

	return load(p, at, &value, sizeof(value)) ? value : 0;
}

/* ---- text ---- */

static void put(struct python *p, char c)
{
	if (p->len + 1 < p->cap)
		p->buf[p->len++] = c;
}

static void puts_at(struct python *p, const char *s)
{
	while (*s)
		put(p, *s++);
}

/* As UTF-8; a '?' for what is no character, or controls a terminal. */
static void put_character(struct python *p, uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000) ||
	    c > 0x10ffff)
		c = '?';
	if (p->len + 5 >= p->cap)
		return;
	if (c < 0x80) {
		put(p, (char)c);
	} else if (c < 0x800) {
		put(p, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		put(p, (char)(0xe0 | c >> 12));
		put(p, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		put(p, (char)(0xf0 | c >> 18));
		put(p, (char)(0x80 | (c >> 12 & 0x3f)));
		put(p, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	if (c >= 0x80)
		put(p, (char)(0x80 | (c & 0x3f)));
}

/* Characters of a str object. */
struct text {
	uint32_t kind; /* bytes of a character */
	uint64_t n;
	uint8_t bytes[TEXT_MAX * 4];
};

static uint32_t character(const struct text *t, uint64_t i)
{
	uint32_t c = 0;

	memcpy(&c, t->bytes + i * t->kind, t->kind);
	return c;
}

/* Its first or last characters. False: it is none, or unreadable. */
static bool load_text(struct python *p, uint64_t at, bool is_end, struct text *t)
{
	uint64_t length, first;
	uint32_t state;

	if (!load(p, at + TEXT_LENGTH, &length, sizeof(length)) ||
	    !load(p, at + TEXT_STATE, &state, sizeof(state)))
		return false;
	t->kind = state >> 2 & 7;
	if (!(state & 1u << 5) || (t->kind != 1 && t->kind != 2 && t->kind != 4) ||
	    length > INT32_MAX)
		return false;
	t->n = min_u64(length, TEXT_MAX);
	first = is_end ? length - t->n : 0;
	at += state & 1u << 6 ? TEXT_ASCII_DATA : TEXT_DATA;
	return load(p, at + first * t->kind, t->bytes, t->n * t->kind);
}

static void put_name(struct python *p, uint64_t at)
{
	struct text t;

	if (!load_text(p, at, false, &t)) {
		put(p, '?');
		return;
	}
	for (uint64_t i = 0; i < t.n; i++)
		put_character(p, character(&t, i));
}

static void put_file(struct python *p, uint64_t at)
{
	struct text t;
	uint64_t first = 0;

	if (!load_text(p, at, true, &t)) {
		put(p, '?');
		return;
	}
	for (uint64_t i = 0; i < t.n; i++)
		if (character(&t, i) == '/')
			first = i + 1;
	for (uint64_t i = first; i < t.n; i++)
		put_character(p, character(&t, i));
}

/* ---- lines: Objects/locations.md ---- */

enum line_kind {
	LINE_SHORT_LAST = 9, /* and below: the same line */
	LINE_ONE_FIRST = 10, /* to 12: so many lines on */
	LINE_ONE_LAST = 12,
	LINE_NO_COLUMNS = 13,
	LINE_LONG = 14,
	LINE_NONE = 15,
};

struct lines {
	uint8_t bytes[1024]; /* a window of the table */
	uint64_t table, size, window, nwindow;
	uint64_t at;
};

/* The next byte; 0 at the end of the table. */
static uint8_t next_byte(struct python *p, struct lines *l)
{
	if (l->at >= l->size)
		return 0;
	if (l->at < l->window || l->at >= l->window + l->nwindow) {
		l->window = l->at;
		l->nwindow = min_u64(sizeof(l->bytes), l->size - l->at);
		if (!load(p, l->table + l->at, l->bytes, l->nwindow))
			l->size = l->nwindow = 0;
		if (!l->nwindow)
			return 0;
	}
	return l->bytes[l->at++ - l->window];
}

static uint64_t next_varint(struct python *p, struct lines *l)
{
	uint64_t value = 0;
	uint8_t byte;
	unsigned shift = 0;

	do {
		byte = next_byte(p, l);
		if (shift < 60)
			value |= (uint64_t)(byte & 0x3f) << shift;
		shift += 6;
	} while (byte & 0x40 && shift < 60);
	return value;
}

static int64_t next_signed(struct python *p, struct lines *l)
{
	uint64_t value = next_varint(p, l);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static int64_t line_step(struct python *p, struct lines *l, unsigned kind)
{
	int64_t step = 0;

	if (kind <= LINE_SHORT_LAST) {
		next_byte(p, l);
	} else if (kind <= LINE_ONE_LAST) {
		step = kind - LINE_ONE_FIRST;
		next_byte(p, l);
		next_byte(p, l);
	} else if (kind == LINE_NO_COLUMNS) {
		step = next_signed(p, l);
	} else if (kind == LINE_LONG) {
		step = next_signed(p, l);
		next_varint(p, l);
		next_varint(p, l);
		next_varint(p, l);
	}
	return step;
}

/* The line of an instruction, by its number; 0: it has none. */
static int64_t line_of(struct python *p, uint64_t code, uint64_t instruction)
{
	uint64_t object = word(p, code + CODE_LINES), end = 0;
	struct lines l = {.table = object + BYTES_DATA};
	int32_t first;
	uint64_t line; /* wraps if the table makes no sense */

	if (!load(p, code + CODE_FIRST_LINE, &first, sizeof(first)) || !object)
		return 0;
	line = (uint64_t)(int64_t)first;
	l.size = min_u64(word(p, object + BYTES_SIZE), LINES_MAX);
	while (l.at < l.size) {
		uint8_t byte = next_byte(p, &l);
		unsigned kind = byte >> 3 & 15;

		line += (uint64_t)line_step(p, &l, kind);
		end += (byte & 7u) + 1u;
		if (instruction < end)
			return kind == LINE_NONE ? 0 : (int64_t)line;
	}
	return first;
}

/* ---- frames ---- */

/* The interpreter's state of a thread with this number; 0: there is none. */
static uint64_t find_thread(struct python *p, uint64_t number)
{
	uint64_t interpreter =
		word(p, p->task->process->space->python + RUNTIME_INTERPRETERS);

	for (int i = 0; i < INTERPRETERS_MAX && interpreter; i++) {
		uint64_t thread = word(p, interpreter + INTERPRETER_THREADS);

		for (int k = 0; k < THREADS_MAX && thread; k++) {
			if (word(p, thread + THREAD_NATIVE_ID) == number)
				return thread;
			thread = word(p, thread + THREAD_NEXT);
		}
		interpreter = word(p, interpreter + INTERPRETER_NEXT);
	}
	return 0;
}

static void put_frame(struct python *p, uint64_t frame)
{
	uint64_t code = word(p, frame + FRAME_CODE);
	uint64_t at = word(p, frame + FRAME_INSTRUCTION);
	uint64_t first = code + CODE_INSTRUCTIONS;
	char line[32] = ":?)";
	int64_t number = line_of(p, code, at < first ? 0 : (at - first) / UNIT);

	if (p->len)
		put(p, '\n');
	put_name(p, word(p, code + CODE_QUALNAME));
	puts_at(p, " (");
	put_file(p, word(p, code + CODE_FILENAME));
	if (number > 0)
		snprintf(line, sizeof(line), ":%" PRId64 ")", number);
	puts_at(p, line);
}

size_t python_stack(const struct task *task, char *buf, size_t cap, uint32_t n)
{
	struct python p = {task, buf, cap, 0, 0};
	const struct space *space = task->process->space;
	uint64_t thread, frame = 0;

	if (space->python) {
		thread =
			find_thread(&p, space->has_own_ids ? procfs_inner_tid(task->tid)
							   : (uint64_t)task->tid);
		if (thread)
			frame = word(&p,
				     word(&p, thread + THREAD_CFRAME) + CFRAME_FRAME);
	}
	for (; frame && n && p.len + 1 < cap; n--) {
		put_frame(&p, frame);
		frame = word(&p, frame + FRAME_PREVIOUS);
	}
	if (cap)
		buf[p.len] = '\0';
	return p.len;
}
