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

/* From at to end of the stream. */
struct stretch {
	struct state *state;
	ring_place at, end;
};

/* Copies n bytes, buf NULL: passes over them; false when the stream ends or makes no
 * sense first. */
static bool read_bytes(struct stretch *r, void *buf, uint32_t n)
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

static bool is_record(const struct ring_reader *reader, const struct record *r,
		      const unsigned char *body)
{
	uint32_t n = r->size - (uint32_t)sizeof(*r), number = spec_number(r->spec);

	if (r->clause >= program_count(reader->image, SECTION_CLAUSE) ||
	    number > reader->state->config.nspec)
		return false;
	switch (r->kind) {
	case RECORD_DATA:
		return !(r->spec && !number) && are_items(reader->image, body, n);
	case RECORD_FAULT:
		return r->spec == 0 && n == sizeof(struct record_fault);
	case RECORD_COMMIT:
	case RECORD_DISCARD:
		return number && n == 0;
	default:
		return false;
	}
}

bool ring_is_record(const struct ring_reader *r, const struct record *record)
{
	return is_record(r, record, (const unsigned char *)(record + 1));
}

/* One whole record to buf; false: spoilt. */
static bool read_record(const struct ring_reader *reader, struct stretch *r,
			unsigned char *buf, size_t cap)
{
	struct record header;

	if (!read_bytes(r, &header, sizeof(header)))
		return false;
	if (header.size < sizeof(header) || header.size % 8 ||
	    header.size > RING_RECORD_MAX || header.size > cap)
		return false;
	bytes_copy(buf, &header, sizeof(header));
	buf += sizeof(header);
	return read_bytes(r, buf, header.size - (uint32_t)sizeof(header)) &&
	       is_record(reader, &header, buf);
}

/* The chunks in between are not trusted to be ours, so they are not given back. */
static void empty_ring(struct slot *slot, ring_place tail)
{
	atomic_store_explicit(
		&slot->consumed,
		atomic_load_explicit(&slot->written, memory_order_relaxed),
		memory_order_relaxed);
	atomic_store_explicit(
		&slot->room_given,
		atomic_load_explicit(&slot->room_taken, memory_order_relaxed),
		memory_order_relaxed);
	atomic_store_explicit(
		&slot->forgetting,
		atomic_load_explicit(&slot->consumed, memory_order_relaxed),
		memory_order_relaxed);
	atomic_store_explicit(&slot->head, tail, memory_order_relaxed);
	layout_count(&slot->drops.records);
}

/* A place where reading goes on; at the beginning the first time. */
static ring_place reading_place(const struct state *s, const struct slot *slot,
				ring_place head)
{
	if (is_place(s, head))
		return head;
	return place_make(atomic_load_explicit(&slot->first, memory_order_relaxed), 0);
}

/* The owner may have moved its head as long as nothing was read. */
static void start(struct ring_reader *r, const struct slot *slot)
{
	if (r->is_started)
		return;
	r->is_started = true;
	r->head = atomic_load_explicit(&slot->head, memory_order_relaxed);
	r->consumed = atomic_load_explicit(&slot->consumed, memory_order_relaxed);
	r->room_given = atomic_load_explicit(&slot->room_given, memory_order_relaxed);
}

int ring_peek(struct ring_reader *r, void *buf, size_t cap)
{
	struct slot *p = layout_slot(r->state, r->slot);
	ring_place tail = atomic_load_explicit(&p->tail, memory_order_acquire);
	uint64_t written = atomic_load_explicit(&p->written, memory_order_relaxed);
	struct stretch from = {.state = r->state, .end = tail};
	const struct record *record = buf;

	start(r, p);
	if (tail == r->head)
		return 0;
	from.at = reading_place(r->state, p, r->head);
	/* More was read than ever written: the chunks form a circle. */
	if (!is_place(r->state, tail) || !is_place(r->state, from.at) ||
	    !read_record(r, &from, buf, cap) || record->size > written - r->consumed) {
		empty_ring(p, tail);
		r->head = tail;
		r->consumed = written;
		r->room_given =
			atomic_load_explicit(&p->room_given, memory_order_relaxed);
		r->peeked_size = 0;
		return STATUS_BADFMT;
	}
	r->peeked = from.at;
	r->peeked_size = record->size;
	r->peeked_room = record->room;
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
		freelist_give(&layout_exchange(s)->chunks, &items, from - 1);
		from = next;
	}
}

bool ring_is_empty(const struct ring_reader *r)
{
	const struct slot *p = layout_slot(r->state, r->slot);
	const _Atomic ring_place *head = &p->head;

	return atomic_load_explicit(&p->tail, memory_order_relaxed) ==
	       (r->is_started ? r->head
			      : atomic_load_explicit(head, memory_order_relaxed));
}

bool ring_forget(struct state *s, uint32_t slot)
{
	struct slot *p = layout_slot(s, slot);
	ring_place head = atomic_load_explicit(&p->head, memory_order_relaxed);
	struct stretch r = {.state = s, .end = p->tail};
	uint32_t from, rest;
	struct record header;

	if (head == r.end)
		return false;
	r.at = reading_place(s, p, head);
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
	/* ring_look() believes nothing that may be overwritten from here on. */
	atomic_store_explicit(&p->forgetting,
			      atomic_load_explicit(&p->consumed, memory_order_relaxed) +
				      header.size,
			      memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&p->head, r.at, memory_order_release);
	free_behind(s, from, place_chunk(r.at));
	atomic_fetch_add_explicit(&p->consumed, header.size, memory_order_release);
	atomic_fetch_add_explicit(&p->room_given, header.room, memory_order_relaxed);
	return true;
}

void ring_give_up(struct ring_reader *r)
{
	struct slot *p = layout_slot(r->state, r->slot);
	ring_place tail = atomic_load_explicit(&p->tail, memory_order_acquire);

	r->consumed = atomic_load_explicit(&p->written, memory_order_relaxed);
	r->room_given = atomic_load_explicit(&p->room_taken, memory_order_relaxed);
	r->head = tail;
	r->peeked_size = 0;
	empty_ring(p, tail);
}

/*
 * Copies from *at, which is a place, up to end or n bytes; chunks that it leaves go back
 * to the pool. Returns the bytes copied.
 */
static size_t take_bytes(struct stretch *r, unsigned char *to, size_t n)
{
	struct freelist_items items = layout_chunks(r->state);
	uint32_t chunk = place_chunk(r->at), offset = place_offset(r->at);
	size_t done = 0;

	while (done < n) {
		struct stream_chunk *c = stream_chunk(r->state, chunk);
		bool is_last = chunk == place_chunk(r->end);
		uint32_t limit = is_last ? place_offset(r->end) : STREAM_DATA, m;

		if (!c || offset > limit || (offset == limit && is_last))
			break;
		if (offset == limit) {
			uint32_t next =
				atomic_load_explicit(&c->next, memory_order_relaxed);

			freelist_give(&layout_exchange(r->state)->chunks, &items,
				      chunk - 1);
			chunk = next;
			offset = 0;
			continue;
		}
		m = (uint32_t)min_u64(n - done, limit - offset);
		bytes_copy(to + done, c->data + offset, m);
		done += m;
		offset += m;
	}
	r->at = place_make(chunk, offset);
	return done;
}

int64_t ring_take(struct ring_reader *r, void *buf, size_t cap)
{
	struct slot *p = layout_slot(r->state, r->slot);
	ring_place tail = atomic_load_explicit(&p->tail, memory_order_acquire);
	uint64_t written = atomic_load_explicit(&p->written, memory_order_relaxed);
	struct stretch from = {.state = r->state, .end = tail};
	size_t most, n = 0;

	start(r, p);
	if (tail == r->head)
		return 0;
	from.at = reading_place(r->state, p, r->head);
	most = min_u64(cap, written - r->consumed);
	if (is_place(r->state, tail) && is_place(r->state, from.at))
		n = take_bytes(&from, buf, most);
	/* It ends before its end; or there is more than ever written: a circle. */
	if (!n || (n < cap && from.at != tail)) {
		ring_give_up(r);
		return STATUS_BADFMT;
	}
	r->head = from.at;
	r->consumed += n;
	atomic_store_explicit(&p->head, r->head, memory_order_relaxed);
	atomic_store_explicit(&p->consumed, r->consumed, memory_order_relaxed);
	return (int64_t)n;
}

void ring_give_room(struct ring_reader *r, uint64_t room)
{
	struct slot *p = layout_slot(r->state, r->slot);

	r->room_given += room;
	atomic_store_explicit(&p->room_given, r->room_given, memory_order_relaxed);
}

void ring_advance(struct ring_reader *r)
{
	struct slot *p = layout_slot(r->state, r->slot);
	ring_place from = reading_place(r->state, p, r->head);

	if (!r->peeked_size)
		return;
	r->head = r->peeked;
	r->consumed += r->peeked_size;
	r->room_given += r->peeked_room;
	r->peeked_size = 0;
	free_behind(r->state, place_chunk(from), place_chunk(r->head));
	atomic_store_explicit(&p->head, r->head, memory_order_relaxed);
	atomic_store_explicit(&p->consumed, r->consumed, memory_order_relaxed);
	atomic_store_explicit(&p->room_given, r->room_given, memory_order_relaxed);
}

/* ---- a look, while the owner goes on ---- */

#define LOOKS_MAX 1000u /* beginnings: then the owner forgets faster than we copy */

/* Where the oldest record is, and how many bytes of the stream are before it. */
static bool find_oldest(struct ring_look *l, const struct slot *p)
{
	while (l->restarts++ < LOOKS_MAX) {
		uint64_t consumed =
			atomic_load_explicit(&p->consumed, memory_order_acquire);
		ring_place head = atomic_load_explicit(&p->head, memory_order_acquire);

		l->tail = atomic_load_explicit(&p->tail, memory_order_acquire);
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&p->forgetting, memory_order_relaxed) !=
		    consumed)
			continue;
		l->head = head;
		l->passed = consumed;
		return true;
	}
	l->is_cut = true;
	return false;
}

static void start_look(struct ring_look *l)
{
	l->is_started = true;
	/* As much as there can be; more than that and the chunks form a circle. */
	l->left = l->state->ring_bytes + 2 * RING_RECORD_MAX;
}

int ring_look(struct ring_look *l, void *buf, size_t cap)
{
	const struct ring_reader reader = {.state = l->state, .image = l->image};
	const struct slot *p = layout_slot(l->state, l->slot);
	const struct record *record = buf;
	bool is_old = !l->is_started;

	if (is_old)
		start_look(l);
	for (;;) {
		struct stretch from = {.state = l->state};
		bool is_good;

		if (is_old && !find_oldest(l, p))
			return 0;
		if (l->head == l->tail)
			return 0;
		from.end = l->tail;
		from.at = reading_place(l->state, p, l->head);
		is_good = is_place(l->state, from.end) && is_place(l->state, from.at) &&
			  read_record(&reader, &from, buf, cap);
		atomic_thread_fence(memory_order_acquire);
		is_old = atomic_load_explicit(&p->forgetting, memory_order_relaxed) >
			 l->passed;
		if (is_old)
			continue; /* it may be another one by now */
		if (!is_good || record->size > l->left)
			return STATUS_BADFMT;
		l->head = from.at;
		l->passed += record->size;
		l->left -= record->size;
		return 1;
	}
}
