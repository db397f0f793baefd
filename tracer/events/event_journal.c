/* SPDX-License-Identifier: MIT */
#include "tracer/events/event_journal.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#include <stdio.h>
#include <string.h>

struct entry {
	struct journal_entry head;
	const unsigned char *bytes;
};

/* The next entry of the kind from *at on. */
static bool next_of(const struct event_journal *j, enum journal_kind kind, size_t *at,
		    struct entry *out)
{
	while (journal_next(j->bytes, j->n, at, &out->head, &out->bytes))
		if (out->head.kind == (uint32_t)kind)
			return true;
	return false;
}

static bool find(const struct event_journal *j, enum journal_kind kind, uint64_t key,
		 struct entry *out)
{
	size_t at = 0;

	while (next_of(j, kind, &at, out))
		if (out->head.key == key)
			return true;
	return false;
}

bool event_journal_has(const struct event_journal *j, enum journal_kind kind,
		       uint64_t key)
{
	struct entry e;

	return find(j, kind, key, &e);
}

/* ---- memory ---- */

/* Copies what is known from the address on, at most n bytes: how many. */
static size_t copy_piece(const struct event_journal *j, uint64_t addr, char *to,
			 size_t n)
{
	size_t at = 0;
	struct entry e;

	while (next_of(j, JOURNAL_MEMORY, &at, &e)) {
		uint64_t offset = addr - e.head.key;

		if (offset >= e.head.size)
			continue;
		n = min_u64(n, e.head.size - offset);
		memcpy(to, e.bytes + offset, n);
		return n;
	}
	return 0;
}

/* Where reading n bytes failed: the address that was said then, or the first unknown. */
static taddr bad_address(const struct event_journal *j, uint64_t addr, size_t done,
			 size_t n)
{
	size_t at = 0;
	struct entry e;

	while (next_of(j, JOURNAL_FAULT, &at, &e))
		if (e.head.key - addr < n)
			return taddr_of(e.head.key);
	return taddr_of(addr + done);
}

int event_journal_read(const struct event_journal *j, taddr addr, void *buf, size_t n,
		       taddr *bad)
{
	size_t done = 0, got = 1;

	for (; done < n && got; done += got)
		got = copy_piece(j, addr.v + done, (char *)buf + done, n - done);
	*bad = bad_address(j, addr.v, done, n);
	return done == n ? 0 : STATUS_FAULT;
}

int64_t event_journal_read_str(const struct event_journal *j, taddr addr, char *buf,
			       size_t n, taddr *bad)
{
	size_t done = 0, got = 1;

	while (done < n && got) {
		got = copy_piece(j, addr.v + done, buf + done, n - done);
		if (memchr(buf + done, '\0', got))
			return (int64_t)strlen(buf);
		done += got;
	}
	*bad = bad_address(j, addr.v, done, n);
	return done == n ? (int64_t)n : STATUS_FAULT;
}

/* ---- built-in variables ---- */

static bool argument(const struct event_journal *j, uint64_t index, uint64_t *value)
{
	size_t at = 0;
	struct entry e;

	if (!next_of(j, JOURNAL_ARGUMENTS, &at, &e) || index >= e.head.size / 8 ||
	    index >= 64 || !(e.head.key >> index & 1))
		return false;
	*value = bytes_load(e.bytes + 8 * index, 8);
	return true;
}

bool event_journal_number(const struct event_journal *j, enum builtin id,
			  uint64_t index, uint64_t *value)
{
	struct entry e;

	if (id <= BUILTIN_arg9)
		return argument(j, index, value);
	if (index > UINT32_MAX ||
	    !find(j, JOURNAL_NUMBER, (uint64_t)id << 32 | index, &e) ||
	    e.head.size != 8)
		return false;
	*value = bytes_load(e.bytes, 8);
	return true;
}

/* Cut to the room, and terminated: the length. */
static size_t put_text(const struct entry *e, char *buf, size_t cap)
{
	size_t n = min_u64(e->head.size, cap ? cap - 1 : 0);

	if (!cap)
		return 0;
	memcpy(buf, e->bytes, n);
	buf[n] = '\0';
	return n;
}

bool event_journal_text(const struct event_journal *j, enum builtin id, char *buf,
			size_t cap)
{
	struct entry e;

	if (!find(j, JOURNAL_TEXT, id, &e))
		return false;
	put_text(&e, buf, cap);
	return true;
}

bool event_journal_device(const struct event_journal *j, uint64_t number, char *buf,
			  size_t cap)
{
	struct entry e;

	if (!find(j, JOURNAL_DEVICE, number, &e))
		return false;
	put_text(&e, buf, cap);
	return true;
}

/* A number has no room for a text. */
int64_t event_journal_descriptor(const struct event_journal *j, int fd, uint32_t what,
				 char *buf, size_t cap)
{
	struct entry e;

	if (!find(j, JOURNAL_DESCRIPTOR, (uint64_t)(uint32_t)fd << 32 | what, &e)) {
		if (buf)
			snprintf(buf, cap, "<unknown>");
		return 0;
	}
	if (!buf)
		return e.head.size == 8 ? (int64_t)bytes_load(e.bytes, 8) : 0;
	put_text(&e, buf, cap);
	return 0;
}

size_t event_journal_python(const struct event_journal *j, char *buf, size_t cap,
			    uint32_t frames)
{
	struct entry e;

	if (!find(j, JOURNAL_PYTHON, frames, &e)) {
		if (cap)
			buf[0] = '\0';
		return 0;
	}
	return put_text(&e, buf, cap);
}
