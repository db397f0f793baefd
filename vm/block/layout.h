/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: where everything in the state block is.
 *
 *	page 0		struct state: layout, slots in use
 *
 *	exchange	struct exchange: stop flag, version, free chunks
 *	slots_at	nslots times slot_bytes:
 *			  struct slot (counters, ring, shard, scratch, tuple)
 *			  locals | locals of ERROR | shard buckets | shard chunks |
 *			  bytes used of each speculation | meters
 *	pool_at		nchunks chunks, of which `open` are there
 *
 *	control_at	struct control: stop flag of the run
 *	aggs_at		struct agg_epochs of every aggregation
 *	off_at		a bit for each probe that is switched off; with meters only
 *
 *	variables_at	struct variables: free cells, claims
 *	specs_at	a word for each speculation: see spec.h
 *	globals_at	the globals area
 *	buckets_at	dynamic variables: heads of the hash chains
 *	cells_at	dynamic variables: cells
 *
 * The four parts are the regions of state.h. Page 0 and control may be trusted. An index
 * or length read from any other part is read once and compared with the layout before it
 * is used; walks along links are bounded.
 */
#ifndef VM_BLOCK_LAYOUT_H
#define VM_BLOCK_LAYOUT_H

#include "vm/block/freelist.h"
#include "vm/own_time.h"
#include "vm/tail_calls.h"
#include "vm/state.h"

#ifdef DTRACE_SMALL_LIMITS
#define CHUNK_BITS	  9u
#define SCRATCH_BYTES	  8192u
#define TUPLE_BYTES	  2048u
#define CLAIM_WORDS	  256u
#define CLAIM_RETRIES	  2000u
#define BUCKETS_MAX	  8u
#define INLINE_CACHE_BITS 3u
#define SHARD_LEAST	  (UINT64_C(1) << 20)
#define SHARD_MOST	  (UINT64_C(4) << 20)
#else
#define CHUNK_BITS	  14u
#define SCRATCH_BYTES	  65536u
#define TUPLE_BYTES	  32768u
#define CLAIM_WORDS	  1024u
#define CLAIM_RETRIES	  2000u
#define BUCKETS_MAX	  65536u
#define INLINE_CACHE_BITS 12u
#define SHARD_LEAST	  (UINT64_C(16) << 20)
#define SHARD_MOST	  (UINT64_C(256) << 20)
#endif
#define CHUNK_BYTES (1u << CHUNK_BITS)

/* The end of scratch memory, where a firing that is recorded keeps its journal. */
#define JOURNAL_BYTES (TUPLE_BYTES / 4u * 3u)
#define JOURNAL_AT    (SCRATCH_BYTES - JOURNAL_BYTES)

/* Cells of dynamic variables (run/dynvar.c). */
#define CELL_BYTES     64u
#define CELL_HEAD_DATA 32u /* bytes of key and value in the first cell */
#define CELL_MORE_DATA 56u /* in each other one */

#define OWN_CELLS	 16u   /* that a slot remembers */
#define OWN_ELEMENTS_MAX 1024u /* of all threads: half of the spare cells */

/* Elements of one hash chain that are looked at. Honest chains have a few. */
#define CHAIN_MAX 4096u

struct state {
	uint32_t magic, version;
	uint64_t size;
	struct state_config config;
	uint32_t nchunks, ncells;
	uint32_t nbuckets;	/* of dynamic variables, a power of two */
	uint32_t shard_buckets; /* of each slot, a power of two */
	uint32_t shard_chunks;	/* entries in a slot's table of chunks */
	_Atomic uint32_t open;	/* state_open_chunks(); not part of the layout */
	uint64_t slots_at, slot_bytes, pool_at;
	uint64_t control_at, aggs_at, off_at;
	uint64_t variables_at, specs_at, globals_at, buckets_at, cells_at;
	uint64_t shard_bytes; /* what a shard may grow to */
	uint64_t ring_bytes;  /* of records not yet consumed, of a slot */
	/* In a slot: */
	uint64_t locals_at, shard_buckets_at, shard_chunks_at, slot_specs_at, meters_at;
	/* Not part of the layout: */
	uint32_t exchange;	/* its number: claims are made in its name */
	_Atomic uint32_t slots; /* state_slots_used() */
	_Atomic uint32_t
		low; /* chunks that may be taken before a slot is short of them */
};

/* Of one address space: writable in it. */
struct exchange {
	_Atomic uint32_t stop;		       /* clauses run no more in this space */
	_Atomic uint32_t sleeper;	       /* state_sleeper() */
	_Atomic uint32_t snapshots;	       /* state_snapshots() */
	_Atomic uint32_t snapshots_served;     /* state_serve_snapshots() */
	_Atomic uint32_t waiter;	       /* state_waiter() */
	_Alignas(64) _Atomic uint64_t version; /* state_version() */
	_Alignas(64) struct freelist chunks;
};

/* Of the run: read-only in targets. */
struct control {
	_Alignas(64) _Atomic uint32_t stop; /* clauses run nowhere any more */
	_Atomic uint32_t has_own_times;	    /* with struct own_time_ways: */
	_Atomic uint64_t jump_ns, stop_ns;
};

/* Of the run: writable in the targets that share D variables. */
struct variables {
	_Alignas(64) struct freelist cells;
	_Atomic uint64_t nominal; /* bytes of all elements: at most dynvarsize */
	_Atomic uint32_t owned;	  /* elements that stay until their thread ends */
	/* 0, or exchange << 32 | slot + 1 */
	_Alignas(64) _Atomic uint64_t claims[CLAIM_WORDS];
};

/*
 * An element whose epoch is below truncated is absent; below current: reset.
 * Written by the consumer only.
 */
struct agg_epochs {
	_Atomic uint64_t current, truncated;
};

/* A place in a slot's ring: chunk index + 1 in the high half, offset in the low. */
typedef uint64_t ring_place;

/* Where an update went: see run/inline_cache.h. */
struct inline_cache {
	uint64_t key;	  /* number of the probe, or the integer that is the key */
	uint32_t place;	  /* number of the clause, or of a place in the program */
	uint32_t stamp;	  /* native_call.stamp then: element is valid */
	uint32_t rekeyed; /* slot.rekeyed then: link is valid */
	uint32_t link;	  /* offset in the shard / 8 + 1; 0: nothing known */
	uint64_t element; /* address of the element */
};

struct slot {
	struct state_drops drops;
	/* Written by the owner. */
	_Alignas(64) _Atomic ring_place
		tail;		     /* end of what is committed; 0: nothing yet */
	_Atomic uint32_t first;	     /* chunk index + 1 where the stream begins */
	_Atomic uint64_t written;    /* bytes committed since the start */
	_Atomic uint64_t room_taken; /* nominal ones: record.room */
	_Atomic uint64_t shard_used; /* bytes of the shard handed out */
	_Atomic uint64_t updated;    /* offset of the element last updated */
	_Atomic uint64_t shard_data; /* nominal ones of its elements */
	uint64_t spare_nominal;	     /* of dynvarsize, for the next elements */
	uint32_t rekeyed; /* how often an element got another key: ends cache entries */
	uint32_t stamp;	  /* of the last native_bind() */
	struct own_time own_time; /* of its thread */
	uint32_t is_short;	  /* it took one of the last chunks that are there */
	_Atomic uint64_t waited;  /* state_waited() */
	uint64_t gave_up;	  /* consumed + 1 when a wait took too long; or 0 */
	/* Written by the consumer for the owner; the consumer's own are elsewhere. */
	_Alignas(64) _Atomic ring_place head;  /* next unread byte; 0: the beginning */
	_Atomic uint64_t consumed, room_given; /* back */
	/* Of the owner: consumed as it is when ring_forget() is done, told before. */
	_Atomic uint64_t forgetting;
	_Atomic uint64_t shard_kept; /* of shard_data: counts against aggsize no more */
	_Alignas(64) unsigned char scratch[SCRATCH_BYTES];
	unsigned char tuple[TUPLE_BYTES];
	struct inline_cache cache[1u << INLINE_CACHE_BITS]; /* of the owner */
	uint32_t own_cells[OWN_CELLS]; /* of its thread: see run/own_cell.h */
	struct tail_calls tail_calls;  /* of its thread, if this is its first slot */
};

/* Cells of an element whose key and value have so many bytes. */
static inline uint32_t cells_for(uint64_t bytes)
{
	if (bytes <= CELL_HEAD_DATA)
		return 1;
	return 1 + (uint32_t)((bytes - CELL_HEAD_DATA + CELL_MORE_DATA - 1) /
			      CELL_MORE_DATA);
}

static inline void *layout_at(const struct state *s, uint64_t offset)
{
	return (unsigned char *)(uintptr_t)s + offset;
}

static inline struct exchange *layout_exchange(const struct state *s)
{
	return layout_at(s, STATE_LAYOUT_BYTES);
}

static inline struct control *layout_control(const struct state *s)
{
	return layout_at(s, s->control_at);
}

static inline struct variables *layout_variables(const struct state *s)
{
	return layout_at(s, s->variables_at);
}

static inline struct agg_epochs *layout_epochs(const struct state *s, uint32_t agg)
{
	return (struct agg_epochs *)layout_at(s, s->aggs_at) + agg;
}

static inline struct slot *layout_slot(const struct state *s, uint32_t slot)
{
	return layout_at(s, s->slots_at + slot * s->slot_bytes);
}

static inline uint64_t layout_difference(const _Atomic uint64_t *more,
					 const _Atomic uint64_t *less)
{
	uint64_t a = atomic_load_explicit(more, memory_order_relaxed);
	uint64_t b = atomic_load_explicit(less, memory_order_relaxed);

	return a > b ? a - b : 0;
}

/* Bytes of the records that are not read yet, and nominal ones. */
static inline uint64_t layout_unread_bytes(const struct slot *slot)
{
	return layout_difference(&slot->written, &slot->consumed);
}

static inline uint64_t layout_unread_room(const struct slot *slot)
{
	return layout_difference(&slot->room_taken, &slot->room_given);
}

/* level 0: the clause-locals; 1: those of ERROR clauses. */
static inline uint64_t *layout_locals(const struct state *s, struct slot *slot,
				      uint32_t level)
{
	unsigned char *p = (unsigned char *)slot + s->locals_at;

	return (uint64_t *)(void *)p + (size_t)level * s->config.locals;
}

static inline _Atomic uint32_t *layout_shard_buckets(const struct state *s,
						     struct slot *slot)
{
	return (_Atomic uint32_t *)(void *)((unsigned char *)slot +
					    s->shard_buckets_at);
}

static inline _Atomic uint32_t *layout_shard_chunks(const struct state *s,
						    struct slot *slot)
{
	return (_Atomic uint32_t *)(void *)((unsigned char *)slot + s->shard_chunks_at);
}

/* The word with a probe's bit: ids below METERS_OFF_MAX. */
static inline _Atomic uint64_t *layout_off(const struct state *s, uint32_t probe)
{
	return (_Atomic uint64_t *)layout_at(s, s->off_at) + probe / 64;
}

/* What a slot has counted for a probe. Number 0 is for all probes without a meter. */
struct meter_cell {
	_Atomic uint64_t fired, timed, ns;
	_Atomic uint64_t least; /* ns of the shortest that was measured */
	_Atomic uint32_t probe;
	uint32_t pad;
};

/* Written by the owner. nmeters + 1 cells follow, then their numbers, by probe. */
struct meters {
	_Atomic uint64_t used; /* cells from number 1 on */
};

/* Twice as many places as meters: a probe's is near what its id gives. */
static inline uint64_t meters_bytes(uint32_t nmeters)
{
	return sizeof(struct meters) + (nmeters + 1) * sizeof(struct meter_cell) +
	       UINT64_C(2) * nmeters * sizeof(uint16_t);
}

static inline struct meters *layout_meters(const struct state *s, struct slot *slot)
{
	return (struct meters *)(void *)((unsigned char *)slot + s->meters_at);
}

static inline struct meter_cell *meters_cells(struct meters *m)
{
	return (struct meter_cell *)(m + 1);
}

static inline unsigned char *layout_chunk(const struct state *s, uint32_t index)
{
	return layout_at(s, s->pool_at + (uint64_t)index * CHUNK_BYTES);
}

/* Chunks that may be touched: their numbers are below this. It only grows. */
static inline uint32_t layout_open(const struct state *s)
{
	return atomic_load_explicit(&s->open, memory_order_relaxed);
}

static inline struct freelist_items layout_chunks(const struct state *s)
{
	return (struct freelist_items){layout_at(s, s->pool_at), CHUNK_BYTES,
				       layout_open(s)};
}

/* A chunk for the owner of the slot, or FREELIST_NONE. */
static inline uint32_t layout_take_chunk(const struct state *s, struct slot *slot)
{
	struct freelist_items items = layout_chunks(s);
	struct freelist *chunks = &layout_exchange(s)->chunks;
	uint32_t index = freelist_take(chunks, &items);

	if (atomic_load_explicit(&chunks->fresh, memory_order_relaxed) >=
	    atomic_load_explicit(&s->low, memory_order_relaxed))
		slot->is_short = 1;
	return index;
}

static inline struct freelist_items layout_cells(const struct state *s)
{
	return (struct freelist_items){layout_at(s, s->cells_at), CELL_BYTES,
				       s->ncells};
}

static inline void layout_count(_Atomic uint64_t *drop)
{
	atomic_fetch_add_explicit(drop, 1, memory_order_relaxed);
}

/*
 * The claim that guards a key: false when another slot kept it through all
 * tries. Never nested, so no order of claims matters.
 */
bool claim_take(struct state *s, uint64_t key, uint32_t slot);
void claim_give(struct state *s, uint64_t key, uint32_t slot);

#endif
