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

/* More records than the largest one may have to replace; against a spoilt ring. */
#define FORGET_MAX 65536u

/* A zeroed link and a chunk after it; 0 when the pool is empty. */
static uint32_t take_chunk(const struct firing *f)
{
	struct state *s = f->vm->state;
	uint32_t index = layout_take_chunk(s, f->slot);

	if (index == FREELIST_NONE)
		return 0;
	atomic_store_explicit(&stream_chunk(s, index + 1)->next, 0,
			      memory_order_relaxed);
	return index + 1;
}

/* The chunk a link leads to, made if there is none yet. */
static uint32_t follow(const struct firing *f, _Atomic uint32_t *link)
{
	uint32_t chunk = atomic_load_explicit(link, memory_order_relaxed);

	if (stream_chunk(f->vm->state, chunk))
		return chunk;
	chunk = take_chunk(f);
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
	chunk = follow(f, &f->slot->first);
	return chunk ? place_make(chunk, 0) : 0;
}

/* Copies n bytes to *at and moves it on; false: no chunk. */
static bool write_at(const struct firing *f, ring_place *at, const void *data,
		     uint32_t n)
{
	const unsigned char *from = data;
	uint32_t chunk = place_chunk(*at), offset = place_offset(*at);

	while (n) {
		struct stream_chunk *c = stream_chunk(f->vm->state, chunk);
		uint32_t m;

		if (offset == STREAM_DATA) {
			chunk = follow(f, &c->next);
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

/* Whether a snapshot() is still to be served. */
static bool is_awaited(const struct state *s)
{
	const struct exchange *x = layout_exchange(s);

	return atomic_load_explicit(&x->snapshots, memory_order_relaxed) !=
	       atomic_load_explicit(&x->snapshots_served, memory_order_relaxed);
}

/* What the buffer may hold for this firing, in nominal bytes. */
static uint64_t limit_of(const struct firing *f)
{
	const struct state_config *c = &f->vm->state->config;

	if (c->policy == STATE_RING && is_awaited(f->vm->state))
		return c->bufsize * 2;
	if (f->is_end || f->vm->slot != STATE_SLOT_FRONT)
		return c->bufsize;
	return c->bufsize - c->end_reserve;
}

static bool fits(const struct firing *f, uint64_t room)
{
	return layout_unread_room(f->slot) + room <= limit_of(f) &&
	       layout_unread_bytes(f->slot) <= f->vm->state->ring_bytes;
}

/* Whether the buffer has room, made if the policy says so. */
static bool make_room(const struct firing *f, uint64_t room)
{
	struct state *s = f->vm->state;

	if (fits(f, room))
		return true;
	for (uint32_t i = 0; s->config.policy == STATE_RING && i < FORGET_MAX; i++)
		if (!ring_forget(s, f->vm->slot) || fits(f, room))
			break;
	return fits(f, room);
}

/* What is speculated takes its room of the buffer when it is committed. */
static bool has_room(const struct firing *f)
{
	const struct record_writer *w = &f->record;
	struct state *s = f->vm->state;

	if (!w->spec)
		return make_room(f, w->room);
	return spec_used(s, f->slot, w->spec)->bytes + w->room <= s->config.specsize &&
	       make_room(f, 0);
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

static bool append(struct firing *f, const void *data, uint32_t n)
{
	if (f->record.size + n > RING_RECORD_MAX ||
	    !write_at(f, &f->record.at, data, n)) {
		lose(f);
		return false;
	}
	f->record.size += n;
	return true;
}

/* A record of so many nominal bytes. */
static bool begin(struct firing *f, uint32_t room)
{
	static const struct record empty;
	struct record_writer *w = &f->record;

	w->start = writing_place(f);
	w->at = w->start;
	w->size = 0;
	w->room = room;
	w->phase = RECORD_OPEN;
	if (w->start && has_room(f))
		return append(f, &empty, sizeof(empty));
	lose(f);
	return false;
}

bool record_begin(struct firing *f)
{
	if (f->record.phase != RECORD_NONE)
		return f->record.phase == RECORD_OPEN;
	return begin(f, program_clause(f->vm->image, f->clause)->nominal);
}

bool record_action(struct firing *f, uint32_t action)
{
	struct record_item item = {.action = action};
	const void *tuple = tuple_top(f, &item.size);

	f->is_snapshot |= program_action(f->vm->image, action)->kind == ACTION_snapshot;
	return record_begin(f) && append(f, &item, sizeof(item)) &&
	       append(f, tuple, item.size);
}

/* Wakes the consumer in time, once: it sleeps again when it has made room. With other
 * policies it makes none. */
static void call_consumer(struct firing *f)
{
	struct vm *vm = f->vm;
	_Atomic uint32_t *sleeper = state_sleeper(vm->state);

	if (!vm->env.wake || !state_is_consumed(vm->state) ||
	    max_u64(layout_unread_bytes(f->slot), layout_unread_room(f->slot)) <
		    vm->state->config.bufsize / 4 ||
	    !atomic_load_explicit(sleeper, memory_order_relaxed))
		return;
	if (atomic_exchange_explicit(sleeper, 0, memory_order_relaxed))
		vm->env.wake(vm->env.ctx, sleeper);
}

static void add(_Atomic uint64_t *word, uint64_t n)
{
	uint64_t old = atomic_load_explicit(word, memory_order_relaxed);

	atomic_store_explicit(word, old + n, memory_order_relaxed);
}

static void publish(struct firing *f, enum record_kind kind)
{
	struct vm *vm = f->vm;
	struct record_writer *w = &f->record;
	struct record header;

	header = (struct record){
		.size = (uint32_t)w->size,
		.kind = (uint16_t)kind,
		.cpu = (uint16_t)builtin_cpu(f),
		.probe = f->probe->id,
		.clause = f->clause,
		.epid = f->epid,
		.room = w->room,
		.pid = vm->pid,
		.tid = vm->tid,
		.time = builtin_clock(f),
		.spec = w->spec,
	};
	if (w->spec && kind == RECORD_DATA) {
		spec_used(vm->state, f->slot, w->spec)->bytes += w->room;
		header.room = 0;
	}
	write_at(f, &w->start, &header, sizeof(header));
	add(&f->slot->written, w->size);
	add(&f->slot->room_taken, header.room);
	atomic_store_explicit(&f->slot->tail, w->at, memory_order_release);
	call_consumer(f);
}

/* A record that says only that a speculation has ended. */
static void mark(struct firing *f, uint64_t spec, uint32_t room, enum record_kind kind)
{
	f->record.spec = 0; /* it takes no room in the speculation */
	if (!begin(f, room))
		return;
	f->record.spec = spec;
	publish(f, kind);
}

/* Without room for what the slot has speculated, that is discarded. */
static void mark_committed(struct firing *f, uint64_t spec)
{
	uint64_t bytes = spec_used(f->vm->state, f->slot, spec)->bytes;
	uint32_t room = (uint32_t)min_u64(bytes, UINT32_MAX);

	if (make_room(f, room)) {
		mark(f, spec, room, RECORD_COMMIT);
		return;
	}
	if (f->vm->state->config.policy == STATE_FILL && !f->is_end)
		firing_stop(f);
	layout_count(&f->slot->drops.specs);
	mark(f, spec, 0, RECORD_DISCARD);
}

void record_commit(struct firing *f, enum record_kind kind)
{
	if (f->record.phase == RECORD_OPEN)
		publish(f, kind);
	if (f->record.committed)
		mark_committed(f, f->record.committed);
	if (f->record.discarded)
		mark(f, f->record.discarded, 0, RECORD_DISCARD);
	record_writer_reset(&f->record);
}

void record_fault(struct firing *f, const struct record_fault *report)
{
	if (begin(f, RECORD_FAULT_NOMINAL))
		append(f, report, sizeof(*report));
	record_commit(f, RECORD_FAULT);
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
