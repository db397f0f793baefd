/* SPDX-License-Identifier: MIT */
#include "vm/state.h"
#include "vm/base/status.h"
#include "vm/block/layout.h"
#include "vm/isa.h"
#include "vm/meter.h"
#include "vm/program.h"
#include "vm/ring.h"
#include "vm/block/spec.h"

#define PAGE		4096u
#define LIMIT_MAX	(UINT64_C(1) << 34) /* of each size that an option sets */
#define GROWTH_MAX	1024u /* a clause of 400 printf() without values has more */
#define SLOTS_MAX	65536u
#define AGGS_MAX	65536u
#define POOL_CHUNKS_MAX 262144u /* 4 GiB: the limits of all slots may promise more */

/* The number of a cell, its index + 1, is part of an address. */
#define CELLS_MAX ((VM_ADDR_CELLS_SPAN >> VM_ADDR_OFFSET_BITS) - 1)

static uint64_t grown(uint64_t nominal, uint32_t growth)
{
	return nominal * max_u32(1, min_u32(growth, GROWTH_MAX));
}

/* For a value that is replaced by one of more cells: they exist together for a moment. */
#define CELLS_SPARE 2048u

static uint64_t cells_of(const struct state_config *c)
{
	return (grown(c->dynvarsize, c->variable_growth) + CELL_BYTES - 1) /
		       CELL_BYTES +
	       CELLS_SPARE;
}

/* The other half of a limited file is for buckets, speculations and globals. */
static uint64_t cells_there(const struct state_config *c)
{
	uint64_t most = max_u64(c->file_max / 2 / CELL_BYTES, 2 * CELLS_SPARE);

	return c->file_max ? min_u64(cells_of(c), most) : cells_of(c);
}

uint64_t state_dynvarsize_max(const struct state_config *c)
{
	uint64_t cells = CELLS_MAX - CELLS_SPARE;

	return min_u64(LIMIT_MAX, cells * CELL_BYTES / grown(1, c->variable_growth));
}

static bool is_config_sane(const struct state_config *c)
{
	return c->nslots > 0 && c->nslots <= SLOTS_MAX && c->strsize > 0 &&
	       c->strsize <= PROGRAM_STRSIZE_MAX && c->globals <= PROGRAM_GLOBALS_MAX &&
	       c->locals <= PROGRAM_LOCALS_MAX && c->naggs <= AGGS_MAX &&
	       c->bufsize <= LIMIT_MAX && c->aggsize <= LIMIT_MAX &&
	       c->dynvarsize <= state_dynvarsize_max(c) && c->specsize <= LIMIT_MAX &&
	       c->nspec <= SPEC_MAX && c->policy < STATE_POLICY_COUNT &&
	       c->end_reserve <= c->bufsize && c->nmeters <= METERS_MAX &&
	       !(c->nmeters & (c->nmeters - 1));
}

static uint32_t power_of_two_below(uint64_t n, uint32_t max)
{
	uint32_t p = 1;

	while (p < max && (uint64_t)p * 2 <= n)
		p *= 2;
	return p;
}

/* Times aggsize that a shard may grow to, within SHARD_LEAST and SHARD_MOST. */
#define SHARD_GROWTH 64u

/*
 * aggsize is what comes between two snapshots; a shard keeps all elements of the run. An
 * element takes three times its nominal bytes, one of many narrow keys more; those that
 * just do not fit into what is left of a chunk up to twice.
 */
static uint64_t shard_limit(const struct state_config *c)
{
	uint64_t grown = max_u64(c->aggsize * SHARD_GROWTH, SHARD_LEAST);
	uint64_t limit = max_u64(c->aggsize * 4, min_u64(grown, SHARD_MOST));

	if (!c->naggs)
		return CHUNK_BYTES;
	return align_up(limit + c->naggs * UINT64_C(64), CHUNK_BYTES);
}

/*
 * Memory for records: all that nominal sizes allow, and a record more for ends of
 * speculations, which have none. What is speculated lies in the same ring.
 */
static uint64_t ring_limit(const struct state_config *c)
{
	uint64_t specs = min_u64(c->nspec * c->specsize, LIMIT_MAX);

	uint64_t bufsize = c->bufsize;

	if (c->policy == STATE_RING) /* while a snapshot is taken */
		bufsize = min_u64(bufsize * 2, LIMIT_MAX);
	return grown(bufsize + specs, c->record_growth) + RING_RECORD_MAX;
}

/*
 * Chunks one slot may come to hold; the sixteenth part pays for their headers. The ring
 * may exceed its limit by a record.
 */
static uint64_t slot_chunks(const struct state_config *c)
{
	return (ring_limit(c) + RING_RECORD_MAX) / (CHUNK_BYTES - CHUNK_BYTES / 16) +
	       shard_limit(c) / CHUNK_BYTES + 4;
}

static void lay_out_slot(struct state *s)
{
	const struct state_config *c = &s->config;
	uint64_t at = align_up(sizeof(struct slot), 64);

	s->locals_at = at;
	at = align_up(at + UINT64_C(2) * c->locals * sizeof(uint64_t), 64);
	s->shard_buckets_at = at;
	s->shard_buckets = power_of_two_below(c->aggsize / 64, BUCKETS_MAX);
	at = align_up(at + s->shard_buckets * UINT64_C(4), 64);
	s->shard_chunks_at = at;
	s->shard_bytes = shard_limit(c);
	s->ring_bytes = ring_limit(c);
	s->shard_chunks = (uint32_t)(s->shard_bytes / CHUNK_BYTES);
	at += s->shard_chunks * UINT64_C(4);
	s->slot_specs_at = align_up(at, 64);
	at = s->slot_specs_at + c->nspec * sizeof(struct spec_used);
	s->meters_at = align_up(at, 64);
	if (c->nmeters)
		at = s->meters_at + meters_bytes(c->nmeters);
	s->slot_bytes = align_up(at, PAGE);
}

/* Chunks that a file of file_max bytes has room for after so many. */
static uint64_t chunks_in_file(const struct state_config *c, uint64_t taken)
{
	uint64_t room = c->file_max > taken ? c->file_max - taken : 0;

	return c->file_max ? align_down(room, PAGE) / CHUNK_BYTES : UINT64_MAX;
}

/* Every position follows from the configuration alone, so checking is computing again. */
static void lay_out(const struct state_config *c, struct state *s)
{
	uint64_t nchunks = slot_chunks(c) * c->nslots;
	uint64_t fixed = slot_chunks(c) * 2; /* front and keeper get theirs in full */

	s->magic = STATE_MAGIC;
	s->version = STATE_VERSION;
	s->config = *c;
	s->ncells = (uint32_t)cells_there(c);
	s->nbuckets =
		power_of_two_below((s->ncells - CELLS_SPARE) / 4, BUCKETS_MAX * 16);
	s->nchunks = (uint32_t)min_u64(nchunks, max_u64(fixed, POOL_CHUNKS_MAX));
	s->slots_at = align_up(STATE_LAYOUT_BYTES + sizeof(struct exchange), PAGE);
	lay_out_slot(s);
	s->pool_at = s->slots_at + c->nslots * s->slot_bytes;
	s->nchunks = (uint32_t)min_u64(
		s->nchunks, chunks_in_file(c, s->pool_at - STATE_LAYOUT_BYTES));
	s->control_at = align_up(s->pool_at + (uint64_t)s->nchunks * CHUNK_BYTES, PAGE);
	s->aggs_at = s->control_at + sizeof(struct control);
	s->off_at = align_up(s->aggs_at + c->naggs * sizeof(struct agg_epochs), 64);
	s->variables_at =
		align_up(s->off_at + (c->nmeters ? METERS_OFF_MAX / 8 : 0), PAGE);
	s->specs_at = s->variables_at + sizeof(struct variables);
	s->globals_at = align_up(s->specs_at + c->nspec * sizeof(uint64_t), 64);
	s->buckets_at = align_up(s->globals_at + c->globals, 64);
	s->cells_at = align_up(s->buckets_at + s->nbuckets * UINT64_C(4), PAGE);
	s->size = align_up(s->cells_at + (uint64_t)s->ncells * CELL_BYTES, PAGE);
	s->exchange = 0;
	s->slots = 0;
	s->open = s->nchunks;
	s->low = UINT32_MAX;
}

uint64_t state_size(const struct state_config *c)
{
	struct state s;

	if (!is_config_sane(c))
		return 0;
	lay_out(c, &s);
	return s.size;
}

bool state_holds(const struct state_config *c)
{
	uint64_t elements = c->naggs ? c->aggsize * 4 : 0;
	uint64_t records = c->bufsize + c->nspec * c->specsize;
	struct state s;

	if (!is_config_sane(c))
		return false;
	lay_out(c, &s);
	return s.ncells == cells_of(c) &&
	       s.nchunks * (uint64_t)CHUNK_BYTES >= records + elements;
}

uint32_t state_nslots_max(const struct state_config *c)
{
	struct state s;

	if (!c->file_max || !is_config_sane(c))
		return SLOTS_MAX;
	lay_out(c, &s);
	return (uint32_t)min_u64(c->file_max / 2 / s.slot_bytes, SLOTS_MAX);
}

int state_init(struct state *s, uint64_t size, const struct state_config *c)
{
	if (!is_config_sane(c) || size < state_size(c))
		return STATUS_INVAL;
	lay_out(c, s);
	return 0;
}

void state_init_exchange(struct state *s, const struct state *home, uint32_t number)
{
	lay_out(&home->config, s);
	s->exchange = number;
}

bool state_has_meters(const struct state *s)
{
	return s->config.nmeters != 0;
}

uint32_t state_exchange(const struct state *s)
{
	return s->exchange;
}

struct state_range state_region(const struct state *s, enum state_region which)
{
	uint64_t at[STATE_REGIONS + 1] = {0, STATE_LAYOUT_BYTES, s->control_at,
					  s->variables_at, s->size};

	return (struct state_range){at[which], at[which + 1] - at[which]};
}

struct state_range state_slots(const struct state *s, uint32_t n)
{
	uint64_t end = s->slots_at + min_u32(n, s->config.nslots) * s->slot_bytes;

	return (struct state_range){STATE_LAYOUT_BYTES, end - STATE_LAYOUT_BYTES};
}

struct state_range state_pool(const struct state *s, uint32_t n)
{
	uint64_t bytes = min_u32(n, s->nchunks) * (uint64_t)CHUNK_BYTES;

	return (struct state_range){s->pool_at, align_up(bytes, PAGE)};
}

uint32_t state_chunks(const struct state *s)
{
	return s->nchunks;
}

uint32_t state_chunks_open(const struct state *s)
{
	return layout_open(s);
}

uint32_t state_chunks_taken(const struct state *s)
{
	uint32_t fresh = atomic_load_explicit(&layout_exchange(s)->chunks.fresh,
					      memory_order_relaxed);

	return min_u32(fresh, layout_open(s));
}

void state_open_chunks(struct state *s, uint32_t n, uint32_t low)
{
	atomic_store_explicit(&s->open, min_u32(n, s->nchunks), memory_order_relaxed);
	atomic_store_explicit(&s->low, low, memory_order_relaxed);
}

static bool is_same_layout(const struct state *a, const struct state *b)
{
	return a->magic == b->magic && a->version == b->version && a->size == b->size &&
	       a->nchunks == b->nchunks && a->ncells == b->ncells &&
	       a->nbuckets == b->nbuckets && a->shard_buckets == b->shard_buckets &&
	       a->shard_chunks == b->shard_chunks && a->control_at == b->control_at &&
	       a->variables_at == b->variables_at && a->aggs_at == b->aggs_at &&
	       a->globals_at == b->globals_at && a->buckets_at == b->buckets_at &&
	       a->cells_at == b->cells_at && a->slots_at == b->slots_at &&
	       a->slot_bytes == b->slot_bytes && a->pool_at == b->pool_at &&
	       a->locals_at == b->locals_at &&
	       a->shard_buckets_at == b->shard_buckets_at &&
	       a->shard_chunks_at == b->shard_chunks_at && a->specs_at == b->specs_at &&
	       a->slot_specs_at == b->slot_specs_at && a->meters_at == b->meters_at &&
	       a->off_at == b->off_at && a->shard_bytes == b->shard_bytes &&
	       a->ring_bytes == b->ring_bytes;
}

uint32_t state_nslots(const struct state *s)
{
	return s->config.nslots;
}

uint32_t state_slots_used(const struct state *s)
{
	uint32_t n = atomic_load_explicit(&s->slots, memory_order_relaxed);

	return min_u32(s->config.nslots, max_u32(n, STATE_SLOT_FIRST_THREAD));
}

void state_use_slot(struct state *s, uint32_t slot)
{
	if (slot >= state_slots_used(s))
		atomic_store_explicit(&s->slots, slot + 1, memory_order_relaxed);
}

int state_check(const struct state *s, uint64_t size)
{
	struct state_config c;
	struct state want;

	if (size < STATE_LAYOUT_BYTES)
		return STATUS_BADFMT;
	c = s->config;
	if (!is_config_sane(&c))
		return STATUS_BADFMT;
	lay_out(&c, &want);
	if (!is_same_layout(s, &want) || want.size > size)
		return STATUS_BADFMT;
	return layout_open(s) <= s->nchunks ? 0 : STATUS_BADFMT;
}

bool state_is_stopped(const struct state *s)
{
	return atomic_load_explicit(&layout_exchange(s)->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&layout_control(s)->stop, memory_order_relaxed);
}

void state_stop(struct state *s)
{
	atomic_store_explicit(&layout_control(s)->stop, 1, memory_order_relaxed);
	state_stop_exchange(s);
}

void state_stop_exchange(struct state *s)
{
	atomic_store_explicit(&layout_exchange(s)->stop, 1, memory_order_relaxed);
	state_renew(s);
}

_Static_assert(STATE_LAYOUT_BYTES + offsetof(struct exchange, version) ==
		       STATE_VERSION_AT,
	       "version");

_Atomic uint64_t *state_version(struct state *s)
{
	return &layout_exchange(s)->version;
}

void state_renew(struct state *s)
{
	atomic_fetch_add_explicit(state_version(s), 1, memory_order_release);
}

_Atomic uint32_t *state_sleeper(struct state *s)
{
	return &layout_exchange(s)->sleeper;
}

uint32_t state_snapshots(const struct state *s)
{
	return atomic_load_explicit(&layout_exchange(s)->snapshots,
				    memory_order_acquire);
}

void state_serve_snapshots(struct state *s, uint32_t n)
{
	atomic_store_explicit(&layout_exchange(s)->snapshots_served, n,
			      memory_order_relaxed);
}

struct state_drops *state_drops(struct state *s, uint32_t slot)
{
	return &layout_slot(s, slot)->drops;
}

static _Atomic uint64_t *claim_word(struct state *s, uint64_t key)
{
	return &layout_variables(s)->claims[key & (CLAIM_WORDS - 1)];
}

static uint64_t claimant(const struct state *s, uint32_t slot)
{
	return (uint64_t)s->exchange << 32 | (slot + 1);
}

bool claim_take(struct state *s, uint64_t key, uint32_t slot)
{
	_Atomic uint64_t *word = claim_word(s, key);

	for (uint32_t i = 0; i < CLAIM_RETRIES; i++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_weak_explicit(
			    word, &none, claimant(s, slot), memory_order_acquire,
			    memory_order_relaxed))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

void claim_give(struct state *s, uint64_t key, uint32_t slot)
{
	uint64_t mine = claimant(s, slot);

	/* Not a plain store: the keeper may have freed it, taking us for dead. */
	atomic_compare_exchange_strong_explicit(claim_word(s, key), &mine, 0,
						memory_order_release,
						memory_order_relaxed);
}
