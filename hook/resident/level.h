/* SPDX-License-Identifier: MIT */
/*
 * What one level of a thread's tcb holds for resident code alone: the machine, bound
 * to the program once and used for every hit, and the present hit.
 */
#ifndef HOOK_RESIDENT_LEVEL_H
#define HOOK_RESIDENT_LEVEL_H

#include "hook/resident.h"
#include "hook/resident/offsets.h"
#include "vm/base/probe_operand.h"

/* Pages that were found readable in the present hit. */
#define PAGES 16u

struct page {
	uint64_t page;
	uint64_t hit; /* number of the hit that found it; 0: none */
};

struct level {
	struct vm vm;
	uint64_t generation; /* of what vm is bound to; 0: of nothing */
	const struct vm_probe *probes;
	uint32_t nprobes;
	bool may_cache; /* some clause may be worth it */
	const struct resident_block *block;
	struct resident_tcb *tcb;
	const struct regs *regs;
	const struct resident_site *site;
	uint64_t hits;			/* its word, in the present hit */
	const struct resident_hit *now; /* the probe that fires; NULL: alone there */
	struct resident_hit alone;	/* now, when that needs no element */
	uint64_t hit;			/* counts those of this level, from 1 */
	/* The stack truncated in this firing: where; frames 0: none. */
	uint64_t truncated_pc;
	uint32_t truncated_frames;
	const struct probe_operands *operands; /* noperands: of the probe table */
	uint32_t noperands;
	uint32_t missed_ustack;	  /* as vm_table.missed_ustack */
	uint64_t sum;		  /* level_sum() before it */
	struct page pages[PAGES]; /* by page number */
	/* Routines of the program (vm/native.h), of which call is the argument. */
	const struct native_probe *natives; /* NULL: there are none */
	const unsigned char *code;
	uint64_t native_sum; /* the sum that call is bound for; 0: it is not */
	struct native_call call;
	native_routine *routine; /* the present one */
	bool is_metered;	 /* firings are measured (vm/meter.h) */
	struct own_time *own;	 /* of the thread; NULL: it has no such time */
	uint64_t way;		 /* own_time_ways.jump */
};

_Static_assert(sizeof(struct level) <= RESIDENT_INTERNAL_BYTES, "a level's own part");

static inline struct level *level_of(struct regs *regs)
{
	return (struct level *)(void *)((unsigned char *)regs + RESIDENT_REGS_BYTES);
}

/* The stack pointer at the site. */
static inline uint64_t level_sp(const struct level *l)
{
	return regs_sp(l->regs) + (l->hits & RESIDENT_PUSHED ? 8 : 0);
}

static inline const struct native_spot *level_spot(const struct level *l)
{
	const struct resident_block *b = l->block;
	const struct resident_site *sites =
		(const void *)((const unsigned char *)b + b->layout.sites_at);
	const struct native_spot *spots =
		(const void *)((const unsigned char *)b + b->layout.spots_at);

	return &spots[l->site - sites];
}

static inline uint64_t level_pc(const struct level *l)
{
	return l->site->epilogue + (uint64_t)(int64_t)level_spot(l)->pc;
}

/* stack.c: vm.env.stack, remembers where a stack was truncated; ctx is the level. */
uint32_t stack_take(void *ctx, uint64_t *pcs, uint32_t n);
/* The present frame's caller, in the middle of a function as well; 0: unknown. */
uint64_t stack_caller(struct level *l);

/* env.c: fills vm.env in. */
void env_bind(struct level *l);
/* The clock of timestamp; 0: it cannot be read. */
uint64_t env_now(struct level *l);
/* vm_env.wait: see wait.c. */
void wait_for_room(void *ctx);
/* Argument index of a site with these operands, at the hit l->hits; 0 or a status. */
int operand_load(struct level *l, uint32_t set, uint64_t index, uint64_t *value);
/* native_call.clock; ctx of the machine is the level. */
uint64_t env_clock(struct native_call *c);

/*
 * shadow.c: reading memory as it was before detours and breakpoints. shadow_begin()
 * gives the list in use; shadow_covers() says whether it covers some of the n bytes at
 * `at`; shadow_apply() puts the original ones into the n bytes read from there. Repeat
 * all of it until shadow_end() is true: the list has not changed meanwhile.
 */
uint64_t shadow_begin(const struct level *l);
bool shadow_covers(const struct level *l, uint64_t shadows, uint64_t at, uint64_t n);
void shadow_apply(const struct level *l, uint64_t shadows, uint64_t at,
		  unsigned char *bytes, uint64_t n);
bool shadow_end(const struct level *l, uint64_t shadows);

/* A list of the block in use; empty when it is not inside max elements. */
struct list {
	uint32_t first, n;
};

static inline struct list list_checked(uint64_t v, uint32_t max)
{
	struct list list = {(uint32_t)v, (uint32_t)(v >> 32)};

	if (list.n > max || list.first > max - list.n)
		list.n = 0;
	return list;
}

static inline struct list list_of(const _Atomic uint64_t *word, uint32_t max)
{
	return list_checked(atomic_load_explicit(word, memory_order_acquire), max);
}

/*
 * The sum for which the count cache is valid (hook/resident.h), not 0. It is read before
 * anything else.
 */
static inline uint64_t level_sum(const struct resident_block *b)
{
	struct state *state = (struct state *)(uintptr_t)b->state;

	return atomic_load_explicit(state_version(state), memory_order_acquire) +
	       atomic_load_explicit(&b->keeper, memory_order_relaxed) + 1;
}

/*
 * count_cache.c, all of it on level 0. The cache is valid for the present sum: begun anew
 * unless it was, and without what it had.
 */
void count_cache_begin(struct level *l);
void count_cache_forget(struct level *l);
/* After a firing of the probe, which is alone at the site. */
void count_cache_learn(struct level *l, const struct vm_probe *probe);
/* After a routine has learnt an element: the site's light routine will find it. */
void count_cache_learn_link(struct level *l);

/* exit.c: whether the indirect jump at the site goes outside of its function. */
bool exit_is_taken(struct level *l, const struct resident_hit *hit);
/* Where a tail call goes; 0: not known. */
uint64_t exit_target(struct level *l, const struct resident_hit *hit);
/* Whether the hit at hand, which has a role, fires: its arg0 may be another then. */
bool exit_follows(struct level *l);

/* read.c: the part of it that reads memory; ctx is the level. */
void read_bind(struct vm_env *env);
int read_memory(void *ctx, taddr addr, void *buf, size_t n, taddr *bad);

#define IS_GATE(at, field)                                                             \
	_Static_assert(offsetof(struct resident_gate, field) == (at), #field)
IS_GATE(GATE_SPILL, spill);
IS_GATE(GATE_EPILOGUE, epilogue);
IS_GATE(GATE_SELF, self);
IS_GATE(GATE_RCX, rcx);
IS_GATE(GATE_SITES, sites);
IS_GATE(GATE_BUSY, busy);
IS_GATE(GATE_PENDING, pending);
IS_GATE(GATE_LOST, lost);
IS_GATE(GATE_FIRED, fired);
IS_GATE(GATE_CACHE, cache);
IS_GATE(GATE_STATE, state);
IS_GATE(GATE_CACHE_SUM, cache_sum);
IS_GATE(GATE_SITE, site);
IS_GATE(GATE_IDLE, idle);
IS_GATE(GATE_CALL, call);
IS_GATE(GATE_LIGHTS, lights);
#undef IS_GATE

#define IS_REGS(at, field) _Static_assert(offsetof(struct regs, field) == (at), #field)
IS_REGS(REGS_FLAGS, flags);
IS_REGS(REGS_RAX, rax);
IS_REGS(REGS_RBX, rbx);
IS_REGS(REGS_RCX, rcx);
IS_REGS(REGS_RDX, rdx);
IS_REGS(REGS_RSI, rsi);
IS_REGS(REGS_RDI, rdi);
IS_REGS(REGS_RBP, rbp);
IS_REGS(REGS_R8, r8);
IS_REGS(REGS_R9, r9);
IS_REGS(REGS_R10, r10);
IS_REGS(REGS_R11, r11);
IS_REGS(REGS_R12, r12);
IS_REGS(REGS_R13, r13);
IS_REGS(REGS_R14, r14);
IS_REGS(REGS_R15, r15);
IS_REGS(REGS_RSP, rsp);
IS_REGS(REGS_RIP, rip);
#undef IS_REGS

_Static_assert(TEXT_MAGIC == RESIDENT_MAGIC && TEXT_VERSION == RESIDENT_VERSION,
	       "what the text begins with");
_Static_assert(offsetof(struct resident_tcb, level[0].regs) == TCB_REGS0, "level 0");
_Static_assert(offsetof(struct resident_tcb, level[1].regs) == TCB_REGS1, "level 1");
_Static_assert(offsetof(struct resident_level, internal) ==
		       offsetof(struct resident_level, regs) + RESIDENT_REGS_BYTES,
	       "level_of");
_Static_assert(TCB_REGS0 % 64 == 0 && TCB_REGS1 % 64 == 0, "aligned for calls");
_Static_assert(sizeof(struct resident_site) == 1 << SITE_SHIFT, "site");
_Static_assert(offsetof(struct resident_site, epilogue) == 0, "site");
_Static_assert(sizeof(struct resident_site) == NATIVE_SITE_BYTES &&
		       offsetof(struct resident_site, hits) == NATIVE_SITE_WORD &&
		       RESIDENT_ALONE >> 32 == NATIVE_SITE_ALONE &&
		       RESIDENT_PUSHED >> 32 == NATIVE_SITE_PUSHED &&
		       RESIDENT_PROBES_MAX - 1 == NATIVE_SITE_PROBE,
	       "what light routines know of sites");
_Static_assert(GATE_SPILL == NATIVE_GATE_RAX && GATE_RCX == NATIVE_GATE_RCX &&
		       GATE_SITES == NATIVE_GATE_SITES &&
		       GATE_SITE == NATIVE_GATE_SITE &&
		       offsetof(struct resident_tcb, thread.stack_lo) ==
			       NATIVE_GATE_STACK_LO &&
		       offsetof(struct resident_tcb, thread.stack_hi) ==
			       NATIVE_GATE_STACK_HI,
	       "and of the gate");
_Static_assert(sizeof(struct resident_block) <= RESIDENT_PAGE, "sites_at");
_Static_assert((int)offsetof(struct resident_block, keeper) - (int)RESIDENT_PAGE ==
		       KEEPER_FROM_SITES,
	       "the keeper's word");
#define IS_FROM_SITES(at, field)                                                       \
	_Static_assert((int)offsetof(struct resident_block, field) -                   \
				       (int)RESIDENT_PAGE ==                           \
			       (at),                                                   \
		       #field)
IS_FROM_SITES(HITS_FROM_SITES, layout.hits_at);
IS_FROM_SITES(RANGES_FROM_SITES, layout.ranges_at);
#undef IS_FROM_SITES
_Static_assert(BLOCK_FROM_SITES == -(int)RESIDENT_PAGE, "the block");
_Static_assert(offsetof(struct resident_site, hits) == SITE_FIRST_HIT &&
		       SITE_FIRST_HIT + 4 == SITE_NHITS,
	       "resident_list()");
_Static_assert(sizeof(struct resident_hit) == 1 << HIT_SHIFT &&
		       offsetof(struct resident_hit, first_range) == HIT_RANGE &&
		       offsetof(struct resident_hit, kind) == HIT_KIND &&
		       RESIDENT_LEAVING == HIT_LEAVING,
	       "hit");
_Static_assert(sizeof(struct resident_range) == 1 << RANGE_SHIFT &&
		       offsetof(struct resident_range, lo) == 0 &&
		       offsetof(struct resident_range, hi) == RANGE_HI,
	       "range");
_Static_assert(LEAVING_BYTES == RESIDENT_LEAVING_BYTES, "leaving");
_Static_assert(offsetof(struct resident_count_cache, sites) == CACHE_SITES &&
		       offsetof(struct resident_cached, counter) == 0,
	       "cache");
_Static_assert(CACHE_SITES == NATIVE_CACHE_AT && GATE_CACHE == NATIVE_GATE_CACHE &&
		       sizeof(struct resident_cached) == NATIVE_CACHE_BYTES &&
		       offsetof(struct resident_cached, link) == NATIVE_CACHE_LINK,
	       "what light routines know of the cache");
_Static_assert(STATE_VERSION_AT == VERSION_FROM_STATE, "version");

#endif
