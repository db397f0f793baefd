/* SPDX-License-Identifier: MIT */
#include "tracer/recording/write/held_events.h"
#include "vm/base/host/oom.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Records lie one after the other, from first to end, and never wrap around: at the end
 * of the memory they are moved to its beginning. */
struct held_events {
	size_t limit; /* bytes of records */
	size_t first, end, cap;
	unsigned char *bytes;
};

struct held_events *held_events_new(size_t bytes)
{
	struct held_events *h = oom_calloc(1, sizeof(*h));

	h->limit = bytes;
	return h;
}

void held_events_free(struct held_events *h)
{
	if (!h)
		return;
	free(h->bytes);
	free(h);
}

static void forget_oldest(struct held_events *h)
{
	struct perf_event_header header;

	memcpy(&header, h->bytes + h->first, sizeof(header));
	h->first += header.size;
}

/* Twice the limit: so a move makes room for as many bytes as it moves. */
static void make_room(struct held_events *h, size_t n)
{
	size_t used = h->end - h->first;

	if (h->cap - h->end >= n)
		return;
	if (h->first)
		memmove(h->bytes, h->bytes + h->first, used);
	h->first = 0;
	h->end = used;
	if (h->cap - used >= n && h->cap >= 2 * used)
		return;
	h->cap = min_u64(2 * (used + n), 2 * (h->limit + n));
	h->bytes = oom_realloc(h->bytes, h->cap);
}

void held_events_add(struct held_events *h, const void *record, size_t n)
{
	if (n > h->limit)
		return;
	while (h->end - h->first + n > h->limit)
		forget_oldest(h);
	make_room(h, n);
	memcpy(h->bytes + h->end, record, n);
	h->end += n;
}

void held_events_write(const struct held_events *h, struct event_file *f)
{
	struct perf_event_header header;

	for (size_t at = h->first; at < h->end; at += header.size) {
		memcpy(&header, h->bytes + at, sizeof(header));
		event_file_add(f, h->bytes + at, header.size);
	}
}
