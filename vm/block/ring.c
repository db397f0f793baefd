/* SPDX-License-Identifier: MIT */
/*
 * The consumer's side of a slot's records. Whatever the block says is read once
 * and checked; a record leaves this file only after its items were walked.
 */
#include "vm/ring.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"
#include "vm/program.h"
#include "vm/block/spec.h"
#include "vm/block/stream.h"
#include "vm/tuple.h"

struct reader {
	struct state *state;
	ring_place at, end;
};

/* Copies n bytes, buf NULL: passes over them; false when the stream ends or makes no
 * sense first. */
static bool read_bytes(struct reader *r, void *buf, uint32_t n)
{
	unsigned char *to = buf;
	uint32_t chunk = place_chunk(r->at), offset = place_offset(r->at);

	while (n) {
		struct stream_chunk *c = stream_chunk(r->state, chunk);
		bool is_last = chunk == place_chunk(r->end);
		uint32_t limit = is_last ? place_offset(r->end) : STREAM_DATA, m;

		if (!c || offset > limit || (offset == limit && is_last))
			return false;
		if (offset == limit) {
			chunk = atomic_load_explicit(&c->next, memory_order_relaxed);
			offset = 0;
			continue;
		}
		m = (uint32_t)min_u64(n, limit - offset);
		if (to) {
			bytes_copy(to, c->data + offset, m);
			to += m;
		}
		n -= m;
		offset += m;
	}
	r->at = place_make(chunk, offset);
	return true;
}

static bool is_payload(const void *image, const struct record_item *item,
		       const unsigned char *payload)
{
	const struct program_action *a;
	struct tuple_value value;
	size_t pos = 0;

	if (item->action >= program_count(image, SECTION_ACTION))
		return false;
	a = program_action(image, item->action);
	for (uint32_t i = 0; i < a->nfields; i++)
		if (tuple_next(payload, item->size, &pos,
			       program_field(image, a->first_field + i), &value) != 0)
			return false;
	return pos == item->size;
}

static bool are_items(const void *image, const unsigned char *data, uint32_t n)
{
	uint32_t pos = 0;

	while (pos < n) {
		struct record_item item;

		if (n - pos < sizeof(item))
			return false;
		bytes_copy(&item, data + pos, sizeof(item));
		pos += (uint32_t)sizeof(item);
		if (item.size > n - pos || item.size % 8 ||
		    !is_payload(image, &item, data + pos))
			return false;
		pos += item.size;
	}
	return true;
}

static bool is_record(const struct reader *reader, const void *image,
		      const struct record *r, const unsigned char *body)
{
	uint32_t n = r->size - (uint32_t)sizeof(*r), number = spec_number(r->spec);

	if (r->clause >= program_count(image, SECTION_CLAUSE) ||
	    number > reader->state->config.nspec)
		return false;
	switch (r->kind) {
	case RECORD_DATA:
		return !(r->spec && !number) && are_items(image, body, n);
	case RECORD_FAULT:
		return r->spec == 0 && n == sizeof(struct record_fault);
	case RECORD_COMMIT:
	case RECORD_DISCARD:
		return number && n == 0;
	default:
		return false;
	}
}

/* One whole record to buf; false: spoilt. */
static bool read_record(struct reader *r, const void *image, unsigned char *buf,
			size_t cap, uint32_t *size)
{
	struct record header;

	if (!read_bytes(r, &header, sizeof(header)))
		return false;
	if (header.size < sizeof(header) || header.size % 8 ||
	    header.size > RING_RECORD_MAX || header.size > cap)
		return false;
	*size = header.size;
	bytes_copy(buf, &header, sizeof(header));
	buf += sizeof(header);
	return read_bytes(r, buf, header.size - (uint32_t)sizeof(header)) &&
	       is_record(r, image, &header, buf);
}

/* The chunks in between are not trusted to be ours, so they are not given back. */
static void empty_ring(struct slot *slot, ring_place tail)
{
	atomic_store_explicit(
		&slot->consumed,
		atomic_load_explicit(&slot->written, memory_order_relaxed),
		memory_order_relaxed);
	atomic_store_explicit(&slot->head, tail, memory_order_relaxed);
	atomic_store_explicit(&slot->peeked_size, 0, memory_order_relaxed);
	layout_count(&slot->drops.records);
}

/* Where reading goes on: at the beginning the first time. */
static ring_place reading_place(const struct state *s, struct slot *slot)
{
	ring_place head = atomic_load_explicit(&slot->head, memory_order_relaxed);

	if (is_place(s, head))
		return head;
	return place_make(atomic_load_explicit(&slot->first, memory_order_relaxed), 0);
}

int ring_peek(struct state *s, uint32_t slot, const void *image, void *buf, size_t cap)
{
	struct slot *p = layout_slot(s, slot);
	ring_place tail = atomic_load_explicit(&p->tail, memory_order_acquire);
	struct reader r = {.state = s, .end = tail};
	uint32_t size = 0;

	if (tail == atomic_load_explicit(&p->head, memory_order_relaxed))
		return 0;
	r.at = reading_place(s, p);
	if (!is_place(s, tail) || !is_place(s, r.at) ||
	    !read_record(&r, image, buf, cap, &size)) {
		empty_ring(p, tail);
		return STATUS_BADFMT;
	}
	atomic_store_explicit(&p->peeked, r.at, memory_order_relaxed);
	atomic_store_explicit(&p->peeked_size, size, memory_order_relaxed);
	return 1;
}

/* Chunks that the head has passed go back to the pool. */
static void free_behind(struct state *s, uint32_t from, uint32_t to)
{
	struct freelist_items items = layout_chunks(s);

	for (uint32_t i = 0; from != to && i <= RING_RECORD_MAX / STREAM_DATA + 1;
	     i++) {
		struct stream_chunk *c = stream_chunk(s, from);
		uint32_t next;

		if (!c)
			return;
		next = atomic_load_explicit(&c->next, memory_order_relaxed);
		freelist_give(&layout_shared(s)->chunks, &items, from - 1);
		from = next;
	}
}

bool ring_is_empty(const struct state *s, uint32_t slot)
{
	const struct slot *p = layout_slot(s, slot);

	return atomic_load_explicit(&p->tail, memory_order_relaxed) ==
	       atomic_load_explicit(&p->head, memory_order_relaxed);
}

bool ring_forget(struct state *s, uint32_t slot)
{
	struct slot *p = layout_slot(s, slot);
	struct reader r = {.state = s, .end = p->tail};
	uint32_t from, rest;
	struct record header;

	if (ring_is_empty(s, slot))
		return false;
	r.at = reading_place(s, p);
	from = place_chunk(r.at);
	if (!is_place(s, r.end) || !is_place(s, r.at) ||
	    !read_bytes(&r, &header, sizeof(header)) || header.size < sizeof(header) ||
	    header.size > RING_RECORD_MAX) {
		empty_ring(p, r.end);
		return false;
	}
	rest = header.size - (uint32_t)sizeof(header);
	if (!read_bytes(&r, NULL, rest)) {
		empty_ring(p, r.end);
		return false;
	}
	atomic_store_explicit(&p->head, r.at, memory_order_relaxed);
	free_behind(s, from, place_chunk(r.at));
	atomic_fetch_add_explicit(&p->consumed, header.size, memory_order_relaxed);
	return true;
}

void ring_advance(struct state *s, uint32_t slot)
{
	struct slot *p = layout_slot(s, slot);
	uint64_t size = atomic_load_explicit(&p->peeked_size, memory_order_relaxed);
	ring_place to = atomic_load_explicit(&p->peeked, memory_order_relaxed);
	ring_place from = reading_place(s, p);
	uint64_t consumed = atomic_load_explicit(&p->consumed, memory_order_relaxed);

	if (!size || !is_place(s, to))
		return;
	atomic_store_explicit(&p->peeked_size, 0, memory_order_relaxed);
	atomic_store_explicit(&p->head, to, memory_order_relaxed);
	free_behind(s, place_chunk(from), place_chunk(to));
	atomic_store_explicit(&p->consumed, consumed + size, memory_order_relaxed);
}
