/* SPDX-License-Identifier: MIT */
#include "tracer/jit/perf_map.h"

#include <elf.h>
#include <string.h>

/* ---- perf map ---- */

/* Reads a number in hex, at most 16 digits, and the blank after it. */
static bool take_hex(const char **p, const char *end, uint64_t *value)
{
	const char *s = *p;
	unsigned digits = 0;

	*value = 0;
	if (end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2;
	for (; s < end && *s != ' '; s++, digits++) {
		char c = *s | 0x20;
		unsigned digit;

		if (*s >= '0' && *s <= '9')
			digit = (unsigned)(*s - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a' + 10);
		else
			return false;
		*value = *value << 4 | digit;
	}
	if (!digits || digits > 16 || s == end)
		return false;
	*p = s + 1;
	return true;
}

static void take_line(struct code_map *m, const char *p, const char *end)
{
	uint64_t start, size;

	if (take_hex(&p, end, &start) && take_hex(&p, end, &size))
		code_map_add(m, start, size, p, (size_t)(end - p));
}

size_t perf_map_take(struct perf_map_state *s, struct code_map *m, const char *bytes,
		     size_t n)
{
	const char *p = bytes, *end;

	while ((end = memchr(p, '\n', n - (size_t)(p - bytes)))) {
		if (!s->skips)
			take_line(m, p, end);
		s->skips = false;
		p = end + 1;
	}
	if (p == bytes && n >= CODE_STREAM_MAX) {
		s->skips = true;
		return n;
	}
	return (size_t)(p - bytes);
}

/* ---- jitdump ---- */

#define JITDUMP_MAGIC	0x4a695444u /* "JiTD" */
#define JITDUMP_VERSION 1

struct jitdump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

enum jitdump_kind { JITDUMP_LOAD = 0, JITDUMP_MOVE = 1 };

struct jitdump_record {
	uint32_t kind, size;
	uint64_t time;
};

struct jitdump_load { /* then the name, then the code */
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct jitdump_move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

/* The size of the header; 0: there is more to read; it is damaged otherwise. */
static size_t take_header(struct jitdump_state *s, const char *bytes, size_t n)
{
	struct jitdump_header h;

	if (n < sizeof(h))
		return 0;
	memcpy(&h, bytes, sizeof(h));
	s->has_header = true;
	s->is_damaged = h.magic != JITDUMP_MAGIC || h.version != JITDUMP_VERSION ||
			h.machine != EM_X86_64 || h.size < sizeof(h);
	return h.size;
}

static void take_load(struct code_map *m, const char *bytes, size_t n)
{
	struct jitdump_load load;
	const char *name = bytes + sizeof(load);

	memcpy(&load, bytes, sizeof(load));
	code_map_add(m, load.address, load.size, name, strnlen(name, n - sizeof(load)));
}

static void take_move(struct code_map *m, const char *bytes)
{
	struct jitdump_move move;

	memcpy(&move, bytes, sizeof(move));
	code_map_move(m, move.from, move.to, move.size);
}

/* The size of the record; 0: there is more to read. */
static size_t take_record(struct jitdump_state *s, struct code_map *m,
			  const char *bytes, size_t n)
{
	struct jitdump_record r;
	size_t body;

	if (n < sizeof(r))
		return 0;
	memcpy(&r, bytes, sizeof(r));
	if (r.size < sizeof(r)) {
		s->is_damaged = true;
		return 0;
	}
	/* Of the code behind the name nothing is needed. */
	body = sizeof(r) + sizeof(struct jitdump_load) + CODE_NAME_MAX;
	body = r.size < body ? r.size : body;
	if (n < body)
		return 0;
	body -= sizeof(r);
	if (r.kind == JITDUMP_LOAD && body > sizeof(struct jitdump_load))
		take_load(m, bytes + sizeof(r), body);
	else if (r.kind == JITDUMP_MOVE && body >= sizeof(struct jitdump_move))
		take_move(m, bytes + sizeof(r));
	return r.size;
}

size_t jitdump_take(struct jitdump_state *s, struct code_map *m, const char *bytes,
		    size_t n)
{
	size_t done = 0;

	while (!s->is_damaged && done < n) {
		size_t k = s->has_header ? take_record(s, m, bytes + done, n - done)
					 : take_header(s, bytes + done, n - done);

		if (!k)
			break;
		done += k;
	}
	return s->is_damaged ? n : done;
}
