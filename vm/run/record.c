/* SPDX-License-Identifier: MIT */
/*
 * The writer's side of a slot's records. Nothing is seen by the consumer until
 * record_commit() moves the tail; giving up is forgetting where the record
 * began.
 */
#include "vm/record.h"
#include "vm/base/bytes.h"
#include "vm/run/firing.h"
#include "vm/ring.h"
#include "vm/block/spec.h"
#include "vm/block/stream.h"

/* As many records as the largest one may have to replace; against a spoilt ring. */
#define FORGET_MAX (2 * RING_RECORD_MAX / (uint32_t)sizeof(struct record))

/* A zeroed link and a chunk after it; 0 when the pool is empty. */
static uint32_t take_chunk(struct state *s)
{
	struct freelist_items items = layout_chunks(s);
	uint32_t index = freelist_take(&layout_exchange(s)->chunks, &items);

	if (index == FREELIST_NONE)
		return 0;
	atomic_store_explicit(&stream_chunk(s, index + 1)->next, 0,
			      memory_order_relaxed);
	return index + 1;
}

/* The chunk a link leads to, made if there is none yet. */
static uint32_t follow(struct state *s, _Atomic uint32_t *link)
{
	uint32_t chunk = atomic_load_explicit(link, memory_order_relaxed);

	if (stream_chunk(s, chunk))
		return chunk;
	chunk = take_chunk(s);
	if (chunk)
		atomic_store_explicit(link, chunk, memory_order_relaxed);
	return chunk;
}

/* Where the next record begins; 0 when there is no chunk for it. */
static ring_place writing_place(struct firing *f)
{
	struct state *s = f->vm->state;
	ring_place tail = atomic_load_explicit(&f->slot->tail, memory_order_relaxed);
	uint32_t chunk;

	if (is_place(s, tail))
		return tail;
	if (tail) /* spoilt: begin a new stream */
		atomic_store_explicit(&f->slot->first, 0, memory_order_relaxed);
	chunk = follow(s, &f->slot->first);
	return chunk ? place_make(chunk, 0) : 0;
}

/* Copies n bytes to *at and moves it on; false: no chunk. */
static bool write_at(struct state *s, ring_place *at, const void *data, uint32_t n)
{
	const unsigned char *from = data;
	uint32_t chunk = place_chunk(*at), offset = place_offset(*at);

	while (n) {
		struct stream_chunk *c = stream_chunk(s, chunk);
		uint32_t m;

		if (offset == STREAM_DATA) {
			chunk = follow(s, &c->next);
			if (!chunk)
				return false;
			offset = 0;
			continue;
		}
		m = (uint32_t)min_u64(n, STREAM_DATA - offset);
		bytes_copy(c->data + offset, from, m);
		from += m;
		n -= m;
		offset += m;
	}
	*at = place_make(chunk, offset);
	return true;
}

static uint64_t unread_bytes(const struct slot *slot)
{
	uint64_t written = atomic_load_explicit(&slot->written, memory_order_relaxed);
	uint64_t read = atomic_load_explicit(&slot->consumed, memory_order_relaxed);

	return written > read ? written - read : 0;
}

/* What the buffer may hold for this firing. */
static uint64_t limit_of(const struct firing *f)
{
	const struct state_config *c = &f->vm->state->config;

	if (f->is_end || f->vm->slot != STATE_SLOT_FRONT)
		return c->bufsize;
	return c->bufsize - c->end_reserve;
}

static bool has_room(const struct firing *f, uint32_t n)
{
	struct state *s = f->vm->state;
	uint64_t size = f->record.size + n, spec = f->record.spec;

	if (size > RING_RECORD_MAX ||
	    (spec && spec_used(s, f->slot, spec)->bytes + size > s->config.specsize))
		return false;
	for (uint32_t i = 0; s->config.policy == STATE_RING && i < FORGET_MAX; i++)
		if (unread_bytes(f->slot) + size <= limit_of(f) ||
		    !ring_forget(s, f->vm->slot))
			break;
	return unread_bytes(f->slot) + size <= limit_of(f);
}

static void lose(struct firing *f)
{
	f->record.phase = RECORD_LOST;
	if (f->vm->state->config.policy == STATE_FILL && !f->record.spec &&
	    !f->is_end) {
		/* Full: as asked for, tracing ends here. */
		firing_stop(f);
		return;
	}
	layout_count(f->record.spec ? &f->slot->drops.specs : &f->slot->drops.records);
}

void record_append(struct firing *f, const void *data, uint32_t n)
{
	if (f->record.phase != RECORD_OPEN)
		return;
	if (!has_room(f, n) || !write_at(f->vm->state, &f->record.at, data, n)) {
		lose(f);
		return;
	}
	f->record.size += n;
}

void record_begin(struct firing *f)
{
	static const struct record empty;

	if (f->record.phase != RECORD_NONE)
		return;
	f->record.start = writing_place(f);
	f->record.at = f->record.start;
	f->record.size = 0;
	f->record.phase = RECORD_OPEN;
	if (!f->record.start)
		lose(f);
	else
		record_append(f, &empty, sizeof(empty));
}

void record_action(struct firing *f, uint32_t action)
{
	struct record_item item = {.action = action};
	const void *tuple = tuple_top(f, &item.size);

	record_begin(f);
	record_append(f, &item, sizeof(item));
	record_append(f, tuple, item.size);
}

/* Wakes the consumer in time, once: it sleeps again when it has made room. */
static void call_consumer(struct firing *f)
{
	struct vm *vm = f->vm;
	_Atomic uint32_t *sleeper = state_sleeper(vm->state);

	if (!vm->env.wake || unread_bytes(f->slot) < vm->state->config.bufsize / 4 ||
	    !atomic_load_explicit(sleeper, memory_order_relaxed))
		return;
	if (atomic_exchange_explicit(sleeper, 0, memory_order_relaxed))
		vm->env.wake(vm->env.ctx, sleeper);
}

static void publish(struct firing *f, enum record_kind kind)
{
	struct vm *vm = f->vm;
	struct record_writer *w = &f->record;
	struct record header;
	uint64_t written =
		atomic_load_explicit(&f->slot->written, memory_order_relaxed);
	uint64_t time;

	if (builtin_load(f, BUILTIN_timestamp, &time) != FAULT_NONE)
		time = 0;
	header = (struct record){
		.size = (uint32_t)w->size,
		.kind = kind,
		.probe = f->probe->id,
		.clause = f->clause,
		.epid = f->epid,
		.cpu = builtin_cpu(f),
		.pid = vm->pid,
		.tid = vm->tid,
		.time = time,
		.spec = w->spec,
	};
	if (w->spec && kind == RECORD_DATA)
		spec_used(vm->state, f->slot, w->spec)->bytes += w->size;
	write_at(vm->state, &w->start, &header, sizeof(header));
	atomic_store_explicit(&f->slot->written, written + w->size,
			      memory_order_relaxed);
	atomic_store_explicit(&f->slot->tail, w->at, memory_order_release);
	call_consumer(f);
}

/* A record that says only that a speculation has ended. */
static void mark(struct firing *f, uint64_t *spec, enum record_kind kind)
{
	if (!*spec)
		return;
	f->record.phase = RECORD_NONE;
	f->record.spec = 0; /* it takes no room in the speculation */
	record_begin(f);
	f->record.spec = *spec;
	*spec = 0;
	if (f->record.phase == RECORD_OPEN)
		publish(f, kind);
}

void record_commit(struct firing *f, enum record_kind kind)
{
	if (f->record.phase == RECORD_OPEN)
		publish(f, kind);
	mark(f, &f->record.committed, RECORD_COMMIT);
	mark(f, &f->record.discarded, RECORD_DISCARD);
	record_writer_reset(&f->record);
}

void record_abandon(struct firing *f)
{
	f->record.phase = RECORD_NONE;
	f->record.spec = 0;
}

bool record_speculate(struct firing *f, uint64_t spec)
{
	/* The compiler lets nothing be recorded before it. */
	if (f->record.phase != RECORD_NONE)
		return false;
	f->record.spec = spec;
	if (spec)
		record_begin(f);
	else
		f->record.phase = RECORD_IGNORED;
	return f->record.phase == RECORD_OPEN;
}
