/* SPDX-License-Identifier: MIT */
/*
 * The jumps of one address space: what is mapped into it, which sites are
 * hooked, and where a pc stands in all that. hook/resident.h and
 * hook/trampoline.h draw the memory.
 *
 *	hook  the bytes that one plan takes over, and its stub
 *	site  one of the hook's, with its probes; numbers are those of
 *	      hook/resident.h, never used twice
 *	field mapped memory near some hooks: stubs from the bottom, then room for
 *	      copies of demoted sites, switch words at the end
 */
#ifndef TRACER_KEEPER_SPACE_HOOKS_H
#define TRACER_KEEPER_SPACE_HOOKS_H

#include "hook/resident.h"
#include "hook/trampoline.h"
#include "tracer/keeper/space/bpt.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/masks.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/wait.h"
#include "vm/base/host/map.h"

#include <sys/user.h>

struct hooked_site {
	uint32_t hook;		      /* number */
	uint16_t head;		      /* offset in the stub */
	uint32_t first_hit, last_hit; /* number + 1 in hooks.hits, 0 none */
	uint32_t nhits;
};

struct hook {
	struct hook_plan plan;
	uint64_t stub;
	uint64_t switch_word; /* of the first site; those of the others follow */
	uint32_t number;      /* in hooks.list */
	uint32_t first_site;  /* number; the others of the plan follow */
	bool is_on;	      /* our bytes stand */
	uint8_t patch[HOOK_JUMP], board[HOOK_COVERED_MAX]; /* our bytes there */
};

struct hook_field {
	uint64_t lo, size;
	uint64_t stubs_end; /* of what is used, and of what stubs may use */
	uint64_t stubs_max;
	uint64_t switches; /* address of the first word */
	uint32_t nswitches, switches_max;
	struct {
		uint32_t *data; /* numbers of hooks, ascending by stub */
		size_t len, cap;
	} hooks;
};

struct hooks {
	enum keeper_reason refused; /* no jumps in this process, and why */
	bool is_installed;
	struct resident_place place;
	uint64_t gate;		      /* address of nobody's gate */
	uint64_t program;	      /* address of the program region */
	uint32_t program_version;     /* struct program.version it was made of */
	struct resident_block *block; /* our mapping, shared with the target */
	uint64_t block_bytes;
	struct {
		struct hooks_mapping {
			uint64_t lo, size;
		} * data;
		size_t len, cap;
	} mappings; /* all that is ours in the target */
	struct {
		struct hook *data;
		size_t len, cap;
	} list; /* by number */
	struct {
		struct hooked_site *data;
		size_t len, cap;
	} sites; /* by number */
	struct {
		struct bpt_hit *data;
		size_t len, cap;
	} hits;
	struct {
		struct hook_field *data;
		size_t len, cap;
	} fields;
	struct map by_patch, by_board; /* where our bytes are -> number, hooks that are
					* on */
	uint32_t nlists;	       /* elements of the block's hits in use */
	uint32_t nranges;	       /* of the block's ranges */
	struct map range_at; /* index + 1 in space.ranges -> in the block's ranges */
	struct masks masks;
	uint32_t nareas; /* areas that were in use */
	struct {
		uint32_t *data;
		size_t len, cap;
	} free_areas;
};

struct hooks *hooks_new(void);
void hooks_free(struct hooks *h);

static inline const struct resident_text *hooks_text(void)
{
	return (const struct resident_text *)(const void *)resident_bin;
}

/* What the stub of a hook is built from. */
struct stub_request hooks_request(const struct hooks *h, const struct hook *hook);

/* Whether the plan makes sense: whoever sent it is not trusted for that. */
bool hooks_is_plan(const struct hook_plan *p);
/* Whether a thread at pc is about to jump from the hook's board into its stub. */
static inline bool hooks_is_at_board(const struct hook *hook, uint64_t pc)
{
	return hook->plan.board.at.v && pc == hook_board_entry(&hook->plan.board).v;
}

/* A hook that is on whose bytes, or whose site, hold addr; or NULL. */
struct hook *hooks_find(const struct hooks *h, uint64_t addr);
/* Any hook that is on with bytes in [lo, hi), which is short; or NULL. */
struct hook *hooks_find_in(const struct hooks *h, uint64_t lo, uint64_t hi);
/* The hook whose stub or board holds pc, on or not; or NULL. */
struct hook *hooks_of_stub(const struct hooks *h, uint64_t pc);

/*
 * Where a thread stands that bpt_where() takes for WHERE_ORIGINAL; *hook is the one
 * concerned when it is in a stub.
 */
enum wait_where hooks_where(const struct hooks *h, uint64_t pc, uint64_t sp,
			    struct hook **hook);

/*
 * Whether at, from the resident text on, is where a thread that is not inside looks at
 * no mark: WHERE_LATE, unless its gate is busy with an earlier hit.
 */
bool hooks_is_before_busy(uint64_t at);

/*
 * The number of the plan's site that a probe of this kind at addr belongs to, or -1.
 */
int hooks_find_site(const struct hook_plan *plan, uint64_t addr, uint16_t kind);
/* Whether the stub begins with the head of a site: then its first byte sends threads
 * there before anything was run. */
bool hooks_begins_with_head(const struct hook *hook);
/* Whether addr is where a firing of the hook goes on. */
bool hooks_is_tail(const struct hooks *h, const struct hook *hook, uint64_t addr);

/*
 * Adds a probe to site number `site` of the space's hooks, for threads from now on;
 * STATUS_FULL.
 */
int hooks_add_hit(struct space *s, uint32_t site, const struct bpt_hit *hit);
/* Puts original bytes where ours stand in n bytes read from addr. */
void hooks_mask(const struct hooks *h, uint64_t addr, void *buf, size_t n);
/* Forgets the hooks in [lo, hi) without a write: their mapping has gone. */
void hooks_forget(struct hooks *h, uint64_t lo, uint64_t hi);
/* Its bytes stand. */
void hooks_turn_on(struct hooks *h, struct hook *hook);
/* Marks the hook as undone. */
void hooks_turn_off(struct hooks *h, struct hook *hook);

/* Bytes to be exchanged. */
struct patch {
	uint64_t at;
	uint8_t from[HOOK_COVERED_MAX], to[HOOK_COVERED_MAX];
	uint8_t n;
	bool is_board;
	bool is_done;
	uint32_t number; /* of its hook */
};

struct patches {
	struct patch *data;
	size_t len, cap;
};

/*
 * Exchanges bytes through mem where exactly `from` stands, whole pages at a time; sets
 * is_done. Nobody else may write or run there meanwhile.
 */
void patches_write(struct patches *list, int mem);
/* What sets the hook, or undoes it: returns how many. */
#define PATCHES_MAX 2
size_t patches_of(const struct hook *hook, bool is_undo, struct patch out[PATCHES_MAX]);
void patches_add(struct patches *list, const struct hook *hook, bool is_undo);
/* Restores all hooks that are on, through mem (a child's, or the space's). */
void hooks_restore(const struct hooks *h, int mem);

#endif
