/* SPDX-License-Identifier: MIT */
/*
 * The jumps of one address space: what is mapped into it, which sites are
 * hooked, and where a pc stands in all that. hook/resident.h and
 * hook/trampoline.h draw the memory.
 *
 *	detour  the bytes that one plan takes over, and its stub
 *	site  one of the detour's, with its probes; numbers are those of
 *	      hook/resident.h, never used twice
 *	field mapped memory near some detours: stubs from the bottom, then room for
 *	      copies of demoted sites, switch words at the end
 */
#ifndef TRACER_KEEPER_SPACE_DETOURS_H
#define TRACER_KEEPER_SPACE_DETOURS_H

#include "hook/resident.h"
#include "hook/trampoline.h"
#include "tracer/keeper/space/bpt.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/shadow.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/stop.h"
#include "vm/base/host/map.h"

#include "vm/base/regs.h"

struct detour_site {
	uint32_t detour;	      /* number */
	uint16_t head;		      /* offset in the stub */
	uint32_t first_hit, last_hit; /* number + 1 in hooks.hits, 0 none */
	uint32_t nhits;
};

struct detour {
	struct hook_plan plan;
	uint64_t stub;
	uint64_t switch_word; /* of the first site; those of the others follow */
	uint32_t number;      /* in detours.list */
	uint32_t first_site;  /* number; the others of the plan follow */
	bool is_on;	      /* our bytes stand */
	uint8_t patch[HOOK_JUMP], island[HOOK_COVERED_MAX]; /* our bytes there */
};

struct detour_field {
	uint64_t lo, size;
	uint64_t stubs_end; /* of what is used, and of what stubs may use */
	uint64_t stubs_max;
	uint64_t switches; /* address of the first word */
	uint32_t nswitches, switches_max;
	struct {
		uint32_t *data; /* numbers of detours, ascending by stub */
		size_t len, cap;
	} detours;
};

struct detours {
	enum keeper_reason refused; /* no jumps in this process, and why */
	bool is_installed;
	struct resident_place place;
	uint64_t gate;		      /* address of nobody's gate */
	uint64_t program;	      /* address of the program region */
	uint32_t program_version;     /* struct program.version it was made of */
	struct resident_block *block; /* our mapping, shared with the target */
	uint64_t block_bytes;
	struct {
		struct detours_mapping {
			uint64_t lo, size;
		} * data;
		size_t len, cap;
	} mappings; /* all that is ours in the target */
	struct {
		struct detour *data;
		size_t len, cap;
	} list; /* by number */
	struct {
		struct detour_site *data;
		size_t len, cap;
	} sites; /* by number */
	struct {
		struct bpt_hit *data;
		size_t len, cap;
	} hits;
	struct {
		struct detour_field *data;
		size_t len, cap;
	} fields;
	struct map pun_pages; /* pages that hold islands of punned jumps -> 1 */
	struct map by_patch,
		by_island;   /* where our bytes are -> number, detours that are
					* on */
	uint32_t nlists;     /* elements of the block's hits in use */
	uint32_t nranges;    /* of the block's ranges */
	struct map range_at; /* index + 1 in space.ranges -> in the block's ranges */
	struct shadow masks;
	uint32_t nareas; /* areas that were in use */
	struct {
		uint32_t *data;
		size_t len, cap;
	} free_areas;
};

struct detours *detours_new(void);
void detours_free(struct detours *h);

static inline const struct resident_text *detours_text(void)
{
	return (const struct resident_text *)(const void *)resident_bin;
}

/* What the stub of a detour is built from. */
struct stub_request detours_request(const struct detours *h,
				    const struct detour *detour);

/* Whether the plan makes sense: whoever sent it is not trusted for that. */
bool detours_is_plan(const struct hook_plan *p);
/* Whether a thread at pc is about to jump from the detour's island into its stub. */
static inline bool detours_is_at_island(const struct detour *detour, uint64_t pc)
{
	return detour->plan.island.at.v &&
	       pc == hook_island_entry(&detour->plan.island).v;
}

/* A detour that is on whose bytes, or whose site, hold addr; or NULL. */
struct detour *detours_find(const struct detours *h, uint64_t addr);
/* Any detour that is on with bytes in [lo, hi), which is short; or NULL. */
struct detour *detours_find_in(const struct detours *h, uint64_t lo, uint64_t hi);
/* The detour whose stub or island holds pc, on or not; or NULL. */
struct detour *detours_of_stub(const struct detours *h, uint64_t pc);

/*
 * Where a thread stands that bpt_where() takes for WHERE_ORIGINAL; *detour is the one
 * concerned when it is in a stub.
 */
enum stop_where detours_where(const struct detours *h, uint64_t pc, uint64_t sp,
			      struct detour **detour);

/*
 * Whether at, from the resident text on, is where a thread that is not inside looks at
 * no mark: WHERE_LATE, unless its gate is busy with an earlier hit.
 */
bool detours_is_before_busy(uint64_t at);

/*
 * The number of the plan's site that a probe of this kind at addr belongs to, or -1.
 */
int detours_find_site(const struct hook_plan *plan, uint64_t addr, uint16_t kind);
/* Whether the stub begins with the head of a site: then its first byte sends threads
 * there before anything was run. */
bool detours_begins_with_head(const struct detour *detour);
/* Whether addr is where a firing of the detour goes on. */
bool detours_is_tail(const struct detours *h, const struct detour *detour,
		     uint64_t addr);

/*
 * Adds a probe to site number `site` of the space's detours, for threads from now on;
 * STATUS_FULL.
 */
int detours_add_hit(struct space *s, uint32_t site, const struct bpt_hit *hit);
/* Puts original bytes where ours stand in n bytes read from addr. */
void detours_mask(const struct detours *h, uint64_t addr, void *buf, size_t n);
/* Forgets the detours in [lo, hi) without a write: their mapping has gone. */
void detours_forget(struct detours *h, uint64_t lo, uint64_t hi);
/* Its bytes stand. */
void detours_turn_on(struct detours *h, struct detour *detour);
/* Marks the detour as undone. */
void detours_turn_off(struct detours *h, struct detour *detour);

/* Bytes to be exchanged. */
struct text_patch {
	uint64_t at;
	uint8_t from[HOOK_COVERED_MAX], to[HOOK_COVERED_MAX];
	uint8_t n;
	bool is_island;
	bool is_done;
	uint32_t number; /* of its detour */
};

struct text_patches {
	struct text_patch *data;
	size_t len, cap;
};

/*
 * Exchanges bytes through mem where exactly `from` stands, whole pages at a time; sets
 * is_done. Nobody else may write or run there meanwhile.
 */
void text_patches_write(struct text_patches *list, int mem);
/* What sets the detour, or undoes it: returns how many. */
#define TEXT_PATCHES_MAX 2
size_t text_patches_of(const struct detour *detour, bool is_undo,
		       struct text_patch out[TEXT_PATCHES_MAX]);
void text_patches_add(struct text_patches *list, const struct detour *detour,
		      bool is_undo);
/* Restores all detours that are on, through mem (a child's, or the space's). */
void detours_restore(const struct detours *h, int mem);

#endif
