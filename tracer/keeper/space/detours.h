/* SPDX-License-Identifier: MIT */
/*
 * The detours of one address space: which sites are served by a jump or a retargeted
 * call into a stub, and all that is mapped for them. hook/resident.h and
 * hook/trampoline.h draw the memory. Most callers want space.h.
 *
 *	detour	the bytes that one plan replaces, and its stub
 *	site	one of the detour's, with its probes; its number is that of
 *		hook/resident.h
 *	field	mapped memory near some detours: stubs from the bottom, then
 *		out-of-line slots for demoted sites, switch words at the end
 *
 * When code has gone (detours_forget()), its stubs, numbers and lists are used again
 * (detours_recycle()).
 */
#ifndef TRACER_KEEPER_SPACE_DETOURS_H
#define TRACER_KEEPER_SPACE_DETOURS_H

#include "hook/resident.h"
#include "hook/trampoline.h"
#include "hook/clause_code.h"
#include "tracer/keeper/space/block_view.h"
#include "tracer/keeper/space/bpt.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/places.h"
#include "tracer/keeper/space/runs.h"
#include "tracer/keeper/space/shadow.h"
#include "tracer/keeper/space/thread_pairs.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/stop.h"
#include "vm/base/host/map.h"

#include "vm/base/regs.h"

/* What a site has in the block: elements of hits, and of ranges for these. n 0: none. */
struct detour_list {
	uint32_t first, n;
	uint32_t parts, nparts;
};

struct detour_site {
	uint32_t detour; /* number */
	uint16_t head;	 /* offset in the stub */
	struct bpt_hit_list hits;
	uint32_t nhits;
	struct detour_list list; /* n 0: it has one hit, which needs no element */
};

struct detour {
	struct hook_plan plan;
	taddr stub;
	taddr switch_word;   /* of the first site; those of the others follow */
	uint32_t number;     /* in detours.list */
	uint32_t first_site; /* number; the others of the plan follow */
	bool is_on;	     /* our bytes are written */
	bool is_gone;	     /* with its code; it is not on */
	uint8_t patch[HOOK_PATCH_MAX], island[HOOK_COVERED_MAX]; /* our bytes there */
};

struct detour_field {
	taddr lo;
	uint64_t size;
	taddr stubs_end;    /* of the stubs so far */
	uint64_t stubs_max; /* bytes from lo on that stubs may use */
	taddr switches;	    /* the first word */
	uint32_t nswitches, switches_max;
	bool is_reserved; /* for a part of the present request */
	struct {
		uint32_t *data; /* numbers of detours, ascending by stub */
		size_t len, cap;
	} detours;
};

/* Parts of the block have the numbers of enum resident_part; the exchange follows. */
enum { DETOURS_SLOTS = RESIDENT_PARTS, DETOURS_POOL, DETOURS_PIECES };

/* A mapping that grows where it is (pieces.h). size 0: there is none. */
struct detours_piece {
	taddr lo;
	uint64_t size;
};

struct detours {
	enum keeper_reason refused; /* why this process gets no detours; 0: it may */
	bool is_installed;
	bool has_variables; /* the process maps D variables that others may map too */
	bool has_left;	    /* its trust domain: no detour is on, none will be */
	struct addr_range far; /* addresses for what of ours does not grow */
	struct resident_place place;
	taddr gate;		  /* the gate of threads without a TCB */
	taddr program;		  /* address of the program region */
	uint32_t program_version; /* struct keeper_program.version it was made of */
	struct clause_code code;
	struct resident_view view; /* our mapping of the block */
	struct block_view state;   /* of the state block of the space */
	struct thread_pairs pairs; /* of its slots */
	struct detours_piece pieces[DETOURS_PIECES];
	struct {
		uint64_t *data;
		size_t len, cap;
	} caches; /* by pair: address of the count cache */
	struct {
		struct detours_mapping {
			taddr lo;
			uint64_t size;
		} * data;
		size_t len, cap;
	} mappings; /* all that was ever mapped for them: a fork child may have it */
	struct {
		struct detour *data;
		size_t len, cap;
	} list; /* by number */
	struct {
		struct detour_site *data;
		size_t len, cap;
	} sites; /* by number */
	struct bpt_hits hits;
	struct {
		struct detour_field *data;
		size_t len, cap;
	} fields;
	size_t field_found;   /* that which had room last: the next detour is near */
	struct map pun_pages; /* pages that hold islands of punned jumps -> 1 */
	struct {
		uint64_t *data; /* the same pages, in the order they were mapped */
		size_t len, cap;
	} pun_list;
	/* Where our bytes are -> number, of detours that are on. */
	struct places by_patch, by_island;
	struct runs numbers, site_numbers; /* of list and sites */
	struct runs lists, ranges;	   /* of the block's hits and ranges */
	struct {
		struct detour_list *data;
		size_t len, cap;
	} retired; /* that threads may still read */
	struct shadow shadow;
	uint32_t ntcbs; /* thread control blocks that were ever in use */
	struct {
		uint32_t *data;
		size_t len, cap;
	} free_tcbs;
};

/* Nothing is installed. Freed by detours_free(), which leaves the target as it is. */
struct detours *detours_new(void);
void detours_free(struct detours *d);

static inline const struct resident_text *detours_text(void)
{
	return (const struct resident_text *)(const void *)resident_bin;
}

/* The thread control block with this number + 1, in our mapping of the block. */
static inline struct resident_tcb *detours_tcb(const struct detours *d, uint32_t number)
{
	return resident_tcb_at(&d->view, number - 1);
}

/* What the stub of a detour is built from. */
struct stub_request detours_request(const struct detour *detour);

/*
 * Where a thread belongs that is about to jump from an island of the detour into its
 * stub: to the patched bytes that lead there. 0: pc is at no island.
 */
taddr detours_before_island(const struct detour *detour, taddr pc);
static inline bool detours_is_at_island(const struct detour *detour, taddr pc)
{
	return detours_before_island(detour, pc).v != 0;
}

/*
 * Whether detours that are on have islands of a jump's length among n bytes of pages of
 * ours.
 */
bool detours_have_islands(const struct detours *d, taddr lo, uint64_t n);

/* Whether a detour is, or was, near an address in [lo, hi), which is short. */
bool detours_may_have(const struct detours *d, taddr lo, taddr hi);
/* A detour that is on whose bytes, or whose site, hold addr; or NULL. */
struct detour *detours_find(const struct detours *d, taddr addr);
/* Any detour that is on with bytes in the range, which is short; or NULL. */
struct detour *detours_find_in(const struct detours *d, struct addr_range r);
/* The detour whose stub or island holds pc, on or not; or NULL. */
struct detour *detours_of_stub(const struct detours *d, taddr pc);

/*
 * Where a pc is in stubs, islands and resident code, else WHERE_ORIGINAL; sp: the
 * thread's, which may be on the stack in the block. *detour: whose stub or island it is,
 * or NULL. Most callers want space_where().
 */
enum stop_where detours_where(const struct detours *d, taddr pc, taddr sp,
			      struct detour **detour);

/*
 * Whether resident code at this offset of its text comes before it sets gate.busy: a
 * thread there is WHERE_RESIDENT_LATE, unless its gate is busy with an earlier hit.
 */
bool detours_is_before_busy(uint64_t at);

/*
 * The number of the plan's site that a probe of this kind at addr belongs to, or -1.
 */
int detours_find_site(const struct hook_plan *plan, taddr addr, uint16_t kind);
/* Whether the stub begins with the head of a site: then its first byte sends threads
 * there before anything was run. */
bool detours_begins_with_prologue(const struct detour *detour);
/* Whether addr is where a firing of the detour goes on. */
bool detours_is_epilogue(const struct detours *d, const struct detour *detour,
			 taddr addr);

/*
 * Adds a probe to this site, for threads from now on. ranges: those that the numbers in
 * hits refer to. STATUS_FULL: the block has no room.
 */
int detours_add_hit(struct detours *d, const struct addr_range *ranges, uint32_t site,
		    const struct bpt_hit *hit);
/*
 * The site names the light routine of its only probe, if that has one in the code that
 * the process has. All sites: a probe may have more clauses now than in the last program.
 */
void detours_find_light(struct detours *d, const struct keeper_program *p,
			uint32_t site);
void detours_find_lights(struct detours *d, const struct keeper_program *p);
/* No probe of the site fires any more: its stub goes on without them. */
void detours_mute(const struct detours *d, uint32_t site);
/* Replaces our bytes among the n bytes read from addr by the original ones. */
void detours_hide(const struct detours *d, taddr addr, void *buf, size_t n);
/* Forgets the detours in the range without a write: their mapping has gone. */
void detours_forget(struct detours *d, struct addr_range r);
/* In an all-stop: whether no thread is in the middle of a hit. */
bool detours_are_idle(const struct detours *d);
/*
 * In an all-stop, with the pcs of all n threads. Detours at the end of a field whose code
 * has gone leave their stubs and numbers to later ones, unless a thread is in such a
 * stub. If no thread is in the middle of a hit, lists that have been replaced are used
 * again.
 */
void detours_recycle(struct detours *d, const taddr *pcs, size_t n);
/*
 * Numbers for a new detour and its sites: detour->number and first_site. STATUS_FULL: the
 * block has no room. detours_give_back() is for one that was not built.
 */
int detours_take_numbers(struct detours *d, struct detour *detour);
void detours_give_back(struct detours *d, const struct detour *detour);
/* Notes that its bytes are written. */
void detours_turn_on(struct detours *d, struct detour *detour);
/* Notes that the original bytes are back. */
void detours_turn_off(struct detours *d, struct detour *detour);

/* Where a detour has bytes in the program's code: n of ours in place of its own. */
struct detour_place {
	taddr at;
	const uint8_t *own, *ours;
	size_t n;
};
#define DETOUR_PLACES_MAX 2

/* Those of the detour, which has them: how many. The second is its island. */
size_t detours_places(const struct detour *detour,
		      struct detour_place out[DETOUR_PLACES_MAX]);
/* Whether this memory has our bytes where the first detour that is on has them. */
bool detours_are_copied(const struct detours *d, int mem);

#endif
