/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/python/objects.h"
#include "tracer/keeper/os/mem.h"

#include <string.h>

/* Where parts of objects are, on x86-64: Include/cpython/{code,unicodeobject}.h. */
enum {
	CODE_FIRST = 72, /* what is read of a code object */
	CODE_FIRST_LINE = 72,
	CODE_FILENAME = 112,
	CODE_QUALNAME = 128,
	CODE_LINES = 136,
	CODE_LAST = 144,
	CODE_INSTRUCTIONS = 184,
	BYTES_SIZE = 16,
	BYTES_DATA = 32,
	TEXT_LENGTH = 16,
	TEXT_STATE = 32,
	TEXT_ASCII_DATA = 48,
	TEXT_DATA = 72,
	UNIT = 2, /* bytes of an instruction */
};

#define TEXT_MAX  128 /* characters of a name; of a path the last ones */
#define LINES_MAX 65536

/* Of one stack: some 10 ms. */
#define COST_MAX   32000
#define COST_FETCH 8   /* a page; 1: bytes of one that is there */
#define LINES_COST 128 /* bytes of a table of lines that cost 1 */

void python_begin(struct python *p, int mem)
{
	p->mem = mem;
	p->cost = 0;
	for (unsigned i = 0; i < PYTHON_PAGES; i++)
		p->pages[i].at = 0;
	p->buf = NULL;
	p->cap = p->len = 0;
}

static const struct python_page *fetch(struct python *p, uint64_t at)
{
	struct python_page *page = &p->pages[at / PYTHON_PAGE % PYTHON_PAGES];

	if (page->at == at)
		return page;
	p->cost += COST_FETCH;
	page->at = at;
	page->nread =
		(uint32_t)mem_peek_some(p->mem, taddr_of(at), page->bytes, PYTHON_PAGE);
	return page;
}

bool python_load(struct python *p, uint64_t at, void *to, size_t n)
{
	while (n) {
		const uint64_t offset = at % PYTHON_PAGE;
		const size_t part = (size_t)min_u64(n, PYTHON_PAGE - offset);
		const struct python_page *page;

		if (at < PYTHON_PAGE || p->cost++ >= COST_MAX)
			return false;
		page = fetch(p, at - offset);
		if (offset + part > page->nread)
			return false;
		memcpy(to, page->bytes + offset, part);
		to = (char *)to + part;
		at += part;
		n -= part;
	}
	return true;
}

uint64_t python_word(struct python *p, uint64_t at)
{
	uint64_t value;

	return python_load(p, at, &value, sizeof(value)) ? value : 0;
}

bool python_load_code(struct python *p, uint64_t at, struct python_code *out)
{
	unsigned char bytes[CODE_LAST - CODE_FIRST];

	*out = (struct python_code){.at = at};
	if (!python_load(p, at + CODE_FIRST, bytes, sizeof(bytes)))
		return false;
	memcpy(&out->first_line, bytes + (CODE_FIRST_LINE - CODE_FIRST),
	       sizeof(out->first_line));
	memcpy(&out->file, bytes + (CODE_FILENAME - CODE_FIRST), sizeof(out->file));
	memcpy(&out->name, bytes + (CODE_QUALNAME - CODE_FIRST), sizeof(out->name));
	memcpy(&out->lines, bytes + (CODE_LINES - CODE_FIRST), sizeof(out->lines));
	return true;
}

/* ---- text ---- */

void python_put(struct python *p, char c)
{
	if (p->len + 1 < p->cap)
		p->buf[p->len++] = c;
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
		python_put(p, (char)c);
	} else if (c < 0x800) {
		python_put(p, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		python_put(p, (char)(0xe0 | c >> 12));
		python_put(p, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		python_put(p, (char)(0xf0 | c >> 18));
		python_put(p, (char)(0x80 | (c >> 12 & 0x3f)));
		python_put(p, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	if (c >= 0x80)
		python_put(p, (char)(0x80 | (c & 0x3f)));
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

	if (!python_load(p, at + TEXT_LENGTH, &length, sizeof(length)) ||
	    !python_load(p, at + TEXT_STATE, &state, sizeof(state)))
		return false;
	t->kind = state >> 2 & 7;
	if (!(state & 1u << 5) || (t->kind != 1 && t->kind != 2 && t->kind != 4) ||
	    length > INT32_MAX)
		return false;
	t->n = min_u64(length, TEXT_MAX);
	first = is_end ? length - t->n : 0;
	at += state & 1u << 6 ? TEXT_ASCII_DATA : TEXT_DATA;
	return python_load(p, at + first * t->kind, t->bytes, t->n * t->kind);
}

void python_put_name(struct python *p, uint64_t at)
{
	struct text t;

	if (!load_text(p, at, false, &t)) {
		python_put(p, '?');
		return;
	}
	for (uint64_t i = 0; i < t.n; i++)
		put_character(p, character(&t, i));
}

void python_put_file(struct python *p, uint64_t at)
{
	struct text t;
	uint64_t first = 0;

	if (!load_text(p, at, true, &t)) {
		python_put(p, '?');
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
		p->cost += (unsigned)l->nwindow / LINES_COST;
		if (!python_load(p, l->table + l->at, l->bytes, l->nwindow))
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

uint64_t python_line(struct python *p, const struct python_code *code, uint64_t at)
{
	const uint64_t begin = code->at + CODE_INSTRUCTIONS;
	const uint64_t instruction = at < begin ? 0 : (at - begin) / UNIT;
	struct lines l = {.table = code->lines + BYTES_DATA};
	uint64_t end = 0;
	uint64_t line; /* wraps if the table makes no sense */

	if (!code->lines)
		return 0;
	line = (uint64_t)(int64_t)code->first_line;
	l.size = min_u64(python_word(p, code->lines + BYTES_SIZE), LINES_MAX);
	while (l.at < l.size) {
		uint8_t byte = next_byte(p, &l);
		unsigned kind = byte >> 3 & 15;

		line += (uint64_t)line_step(p, &l, kind);
		end += (byte & 7u) + 1u;
		if (instruction >= end)
			continue;
		return kind == LINE_NONE || (int64_t)line < 0 ? 0 : line;
	}
	return code->first_line < 0 ? 0 : (uint64_t)code->first_line;
}
