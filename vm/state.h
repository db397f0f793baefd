/* SPDX-License-Identifier: MIT */
/*
 * The state block: the memory that clauses of every execution context work on and the
 * consumer reads. It is one range of addresses that may lie anywhere: everything inside
 * is an offset. It is put together from four regions, each a memory file:
 *
 *	| layout | exchange: slots, pool | control | D variables |
 *
 *	region	   one for each		writable in
 *	layout	   address space	keeper
 *	exchange   address space	front, keeper, that address space
 *	control	   run			front, keeper
 *	variables  run			front, keeper, targets of one trust domain
 *
 * The *home* exchange belongs to front and keeper. Targets do not map it. Front and
 * keeper map a block for each address space, a *view*: its own layout and exchange, and
 * the control and variables of the run.
 *
 * What a target can write to proves nothing. Positions come from the layout alone. What
 * is read from exchange and variables is read once and checked before use.
 *
 * A slot belongs to one writer (the front, the keeper, or one thread of the
 * target): its scratch memory, clause-locals, records and aggregation shard.
 * Records and shards are chains of chunks from the pool; the limits (bufsize,
 * aggsize, dynvarsize) are counted in nominal bytes, not allocated ahead; memory
 * that is touched only when needed is there for more than they allow. No lock anywhere:
 * shards and records have one writer; globals and dynamic variables are
 * claimed by compare-and-swap with the numbers of exchange and slot, with bounded
 * retries, after which the access is a counted drop.
 */
#ifndef VM_STATE_H
#define VM_STATE_H

#include "vm/base/base.h"
#include <stdatomic.h>

#define STATE_MAGIC   UINT32_C(0x54415453) /* "STAT" */
#define STATE_VERSION 3

/* Slots with a fixed owner; target threads take the others (fpid). */
enum state_slot {
	STATE_SLOT_FRONT = 0,
	STATE_SLOT_KEEPER = 1,
	STATE_SLOT_FIRST_THREAD = 2,
};

/* What a slot does with a record that bufsize has no room for. */
enum state_policy {
	STATE_SWITCH, /* drops it; the consumer makes room all the time */
	STATE_FILL,   /* ends tracing; nothing is consumed before */
	STATE_RING,   /* forgets its oldest ones; nothing is consumed before the end */
	STATE_WAIT,   /* as STATE_SWITCH, but who fired waits before that */
	STATE_POLICY_COUNT
};

/* Sizes in bytes; what the options say and the program needs. */
struct state_config {
	uint32_t nslots;
	uint32_t strsize;
	uint32_t globals; /* program_header.globals */
	uint32_t locals;  /* program_header.locals */
	uint32_t naggs;
	/* Nominal bytes (image/nominal.c): */
	uint64_t bufsize;     /* records not yet consumed, per slot */
	uint64_t aggsize;     /* elements added between two agg_keep(), per slot */
	uint64_t dynvarsize;  /* dynamic variables */
	uint64_t specsize;    /* one speculation's records, per slot */
	uint64_t end_reserve; /* STATE_FILL: of bufsize, for END only */
	uint32_t nspec;	      /* speculations at a time, at most 65536 */
	uint32_t policy;      /* enum state_policy */
	uint32_t only_cpu;    /* 0: all; else the number + 1 of the one that counts */
	uint64_t wait_ns;     /* STATE_WAIT: the longest wait */
	/* Memory for each nominal byte: program_record_growth(); 0 counts as 1. */
	uint32_t record_growth, variable_growth;
	/*
	 * Bytes that a region, a file, may have; 0: any. Where it is less than the sizes
	 * may come to need, all slots share what there is.
	 */
	uint64_t file_max;
	/*
	 * Firings are counted and measured (vm/meter.h), in each slot for so many probes;
	 * 0, or a power of two up to METERS_MAX.
	 */
	uint32_t nmeters;
};

#define STATE_LAYOUT_BYTES 4096 /* the first region */

/* Of what vm_fire_unheard() fired: the same kinds. */
struct state_unheard {
	_Atomic uint64_t records, aggs, dynvars, errors, specs, specs_unavailable,
		events;
	_Atomic uint64_t forged;
};

/* Counted since the start; the consumer reports differences. */
struct state_drops {
	_Atomic uint64_t records; /* principal buffer full */
	_Atomic uint64_t aggs;	  /* aggregation shard full */
	_Atomic uint64_t dynvars; /* no room, or a claim that could not be had */
	_Atomic uint64_t errors;  /* faults inside an ERROR clause */
	_Atomic uint64_t specs;	  /* records that specsize or bufsize had no room for */
	_Atomic uint64_t specs_unavailable; /* speculation() found none free */
	_Atomic uint64_t events; /* of the kernel, before any clause; by the front */
	_Atomic uint64_t forged; /* records that no clause writes; by the consumer */
	_Atomic uint64_t stacks; /* ended before their outermost frame */
	struct state_unheard unheard; /* part of the above */
};

struct state; /* the block; its layout is private to vm/ */

/* What dynvarsize may be: the numbers of cells are part of addresses. */
uint64_t state_dynvarsize_max(const struct state_config *c);
/*
 * Bytes the block needs (a multiple of the page size), 0 for sizes out of
 * range. Pages never touched cost nothing.
 */
uint64_t state_size(const struct state_config *c);
/*
 * Whether one slot gets what the sizes promise, whatever file_max is: the nominal bytes
 * of records, and elements.
 */
bool state_holds(const struct state_config *c);
/* Slots that leave at least half of file_max to records and aggregations. */
uint32_t state_nslots_max(const struct state_config *c);
/*
 * Lays out a zeroed block of state_size() bytes, aligned to 4096; STATUS_INVAL. Writes
 * only to the region layout.
 */
int state_init(struct state *s, uint64_t size, const struct state_config *c);
/*
 * Writes a region layout for another exchange of the run of home. number: unique in the
 * run, not 0.
 */
void state_init_exchange(struct state *s, const struct state *home, uint32_t number);
/* Checks a block from elsewhere: every position against size; STATUS_BADFMT. */
int state_check(const struct state *s, uint64_t size);

/* The regions, in the order of their addresses. */
enum state_region {
	STATE_LAYOUT,
	STATE_EXCHANGE,
	STATE_CONTROL,
	STATE_VARIABLES,
	STATE_REGIONS
};

/* Offset and bytes, both multiples of 4096. */
struct state_range {
	uint64_t at, size;
};
/* Where a region is in the block. Reads only the region layout. */
struct state_range state_region(const struct state *s, enum state_region which);

/*
 * An exchange may be mapped in pieces, as much as is needed. What there is of the region
 * exchange with its first n slots, and with the first n chunks of its pool.
 */
struct state_range state_slots(const struct state *s, uint32_t n);
struct state_range state_pool(const struct state *s, uint32_t n);
/* Chunks of the pool; those that are open; and those used so far, as the target says. */
uint32_t state_chunks(const struct state *s);
uint32_t state_chunks_open(const struct state *s);
uint32_t state_chunks_taken(const struct state *s);
/*
 * The first n chunks of the pool are mapped, for good; before, all of them are. Who takes
 * more than `low` says so by vm_env.grow; UINT32_MAX: there will be no more. Written by
 * who maps the exchange, after that.
 */
void state_open_chunks(struct state *s, uint32_t n, uint32_t low);

/* Whether firings are measured (struct state_config.nmeters). */
bool state_has_meters(const struct state *s);

/* The number of the exchange; 0: home. */
uint32_t state_exchange(const struct state *s);

/* struct state_config.nslots of a checked block. */
uint32_t state_nslots(const struct state *s);
/*
 * Only slots below it have had an owner: who looks through all slots stops there and
 * leaves the pages of the others untouched.
 */
uint32_t state_slots_used(const struct state *s);
/* Told by who gives a slot to a thread, before that runs. */
void state_use_slot(struct state *s, uint32_t slot);

/*
 * The stop flags that exit() raises; tested before every firing. There is one for the
 * run, which front and keeper raise, and one for each exchange, which its target may
 * raise as well.
 */
bool state_is_stopped(const struct state *s);
void state_stop(struct state *s);
void state_stop_exchange(struct state *s);

/*
 * Callers may cache what a firing does (vm_counter). The word grows with everything that
 * makes that stale: the end of tracing, resets of aggregations (vm/agg.h), and
 * state_renew(), to be called after a change of which clauses a probe has.
 */
_Atomic uint64_t *state_version(struct state *s);
void state_renew(struct state *s);
/* Where state_version() is in every block. */
#define STATE_VERSION_AT (STATE_LAYOUT_BYTES + 64)

/*
 * The word that a consumer sleeps on: 1 while it does. A slot that becomes a quarter
 * full makes it 0 and wakes the sleeper (vm_env.wake).
 */
_Atomic uint32_t *state_sleeper(struct state *s);

/*
 * How many firings of the exchange have called snapshot(), in 32 bits. Each clears the
 * sleeper as a full slot does. A target can write to it.
 */
uint32_t state_snapshots(const struct state *s);
/*
 * So many of them have their snapshot. Until then slots of STATE_RING hold twice as much:
 * what they had when it was called stays.
 */
void state_serve_snapshots(struct state *s, uint32_t n);

/* Whether the consumer makes room while tracing goes on. */
bool state_is_consumed(const struct state *s);

/*
 * STATE_WAIT. After a firing whose records leave more than half of bufsize unread, who
 * fired waits until a quarter is left. So the next firing finds room, and a wait that
 * ends early loses nothing. Once one has taken wait_ns, there is none in the slot until
 * the consumer has read something: one that does not come holds up a thread once.
 */

/* Whether who fired in the slot is to wait. */
bool state_wants_wait(const struct state *s, uint32_t slot);
/*
 * Whether a wait that has taken so many ns goes on: there is no room yet, and tracing has
 * not ended. If the consumer sleeps, wake() wakes it.
 */
bool state_wait_goes_on(struct state *s, uint32_t slot, uint64_t ns,
			void (*wake)(void *ctx, _Atomic uint32_t *word), void *ctx);
/* The word to sleep on meanwhile: 1, and 0 from when the consumer has read. */
_Atomic uint32_t *state_waiter(struct state *s);
/*
 * How long the owner of the slot has waited, in ns: it adds to that. It cannot be true
 * unless its reader has seen so much of the slot (nominal bytes, bytes).
 */
_Atomic uint64_t *state_waited(struct state *s, uint32_t slot);
bool state_may_have_waited(const struct state *s, uint64_t room, uint64_t bytes);

/* Drop counters of one slot. */
struct state_drops *state_drops(struct state *s, uint32_t slot);
/*
 * What a dead thread left half done is settled: its claims are freed and
 * aggregation elements it was updating can be read (keeper only, after the
 * thread is gone and before another one gets the slot).
 */
void state_release_claims(struct state *s, uint32_t slot);
/* self-> variables of an exited thread are freed. image: verified. */
void state_forget_thread(struct state *s, const void *image, uint32_t slot,
			 uint64_t thread);

#endif
