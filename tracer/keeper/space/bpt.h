/* SPDX-License-Identifier: MIT */
/*
 * The breakpoints of one address space: what stands where, and how a thread
 * gets past it. An address space outlives none of its processes: a vfork
 * child shares its parent's, an exec makes a new one.
 *
 *	site  one address with our byte; hits[] of it in the order they fire
 *	arena mapped scratch memory near some sites; copies of instructions
 */
#ifndef TRACER_KEEPER_SPACE_BPT_H
#define TRACER_KEEPER_SPACE_BPT_H

#include "tracer/keeper/space/journal.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/space/step.h"
#include "tracer/keeper/os/stop.h"
#include "vm/base/host/map.h"
#include "vm/base/taddr.h"

struct detours;
struct stacks;

#define BPT_BYTE 0xcc /* int3 */

/* One probe (or hold) at a site. */
struct bpt_hit {
	uint32_t probe, arg0;
	uint32_t first_range, nranges; /* in space.ranges */
	uint32_t next;		       /* number + 1 of the site's next, 0 none */
	uint16_t kind;		       /* enum keeper_site_kind */
};

struct bpt_site {
	struct insn in;
	enum step_how how;
	uint8_t insn_len, copy_len;   /* see step_copy() */
	bool is_set;		      /* our byte stands there */
	uint64_t copy;		      /* STEP_COPY: where; 0: not mapped yet */
	uint32_t first_hit, last_hit; /* number + 1 in space.hits, 0 none */
	uint64_t served;	      /* hits of fpid's probes here */
};

struct bpt_arena {
	uint64_t lo, size, used;
	struct {
		uint32_t *data; /* sites whose copy is here, ascending by copy */
		size_t len, cap;
	} sites;
};

struct space {
	int mem;	  /* /proc/PID/mem, owned; -1: not open */
	uint32_t refs;	  /* processes in it */
	int family;	  /* children are followed for this process; 0: they are not */
	uint32_t nset;	  /* sites that are set */
	uint64_t syscall; /* such an instruction, or 0 (remote.h) */
	uint64_t return_stub; /* where calls are made from, or 0 (return_stub.h) */
	uint64_t lo, hi;      /* all sites lie in [lo, hi) */
	struct map by_addr;   /* address -> index of site */
	struct {
		struct bpt_site *data;
		size_t len, cap;
	} sites;
	struct {
		struct bpt_hit *data;
		size_t len, cap;
	} hits;
	struct {
		struct addr_range *data;
		size_t len, cap;
	} ranges;
	struct {
		struct bpt_arena *data;
		size_t len, cap;
	} arenas;
	struct journal journal;
	struct detours *detours; /* jumps (detours.h), NULL: never asked for */
	struct stacks *stacks;	 /* rows (stacks.h), NULL: none were sent */
};

/* A new, empty space with one reference, its memory not yet open (mem -1). */
struct space *space_new(void);
/* Opens the memory of the process's (or thread's) present image. */
int space_open(struct space *s, int pid);
void space_unref(struct space *s);

/* The site at addr, set or not, or NULL. Valid until the next bpt_add(). */
struct bpt_site *bpt_find(const struct space *s, uint64_t addr);
/* Adds a hit to the site. */
void bpt_add_hit(struct space *s, struct bpt_site *site, const struct bpt_hit *hit);
/* A new site for the instruction, not yet set. */
struct bpt_site *bpt_add(struct space *s, const struct insn *in);
/* Where pc stands; *site is the one concerned, NULL for WHERE_ORIGINAL. */
enum stop_where bpt_where(const struct space *s, uint64_t pc, struct bpt_site **site);
/* Puts original bytes where ours stand in n bytes read from addr. */
void bpt_mask(const struct space *s, uint64_t addr, void *buf, size_t n);

/* Sites by index, ascending by address. */
struct bpt_list {
	uint32_t *data;
	size_t len, cap;
};

/*
 * Writes our byte at each site of the list (is_set false: the original,
 * where ours still stands) through mem; whole pages at a time, except in
 * writable mappings, where the target might write meanwhile. Calls failed() for
 * every site that could not be written.
 */
struct bpt_write {
	const struct space *space;
	int mem;
	const struct procfs_maps *maps;
	bool is_set;
	void (*failed)(void *ctx, uint32_t site);
	void *ctx;
};
void bpt_write(const struct bpt_write *w, const struct bpt_list *list);
/* Sorts by address. */
void bpt_sort(const struct space *s, struct bpt_list *list);
/* Forgets the sites in [lo, hi) without a write: their mapping has gone. */
void bpt_forget(struct space *s, uint64_t lo, uint64_t hi);
/* Restores the bytes of every site that is set, through mem: a child's or the space's. */
void bpt_restore(const struct space *s, int pid, int mem);

#endif
