/* SPDX-License-Identifier: MIT */
/*
 * The breakpoints of one address space: a table of sites, each an instruction whose first
 * byte is, or may become, an int3.
 *
 *	site  one instruction, how a thread gets past it, and its first hit
 *	hit   one probe (or hold) at a site; hits of a site fire in the order they came
 *
 * Sites and hits keep their numbers (index in the table) as long as the space lives.
 * space.h pairs this table with detours; most callers want that.
 */
#ifndef TRACER_KEEPER_SPACE_BPT_H
#define TRACER_KEEPER_SPACE_BPT_H

#include "tracer/keeper/keeper.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/space/places.h"
#include "tracer/keeper/space/step.h"
#include "tracer/keeper/space/xol.h"

#define BPT_BYTE 0xcc /* int3 */

/* One probe (or hold) at a site. */
struct bpt_hit {
	uint32_t probe, arg0;
	/* In space.ranges; or, with REGS_CONVENTION_NOTE, operands of the probe table. */
	uint32_t first_range, nranges;
	uint32_t next;	/* number + 1 of the site's next, 0 none */
	uint32_t place; /* key of the site's address, 0 none */
	uint16_t kind;	/* enum keeper_site_kind */
};

/* Hits of all sites of a table, linked by site. A zeroed struct is empty. */
struct bpt_hits {
	struct bpt_hit *data;
	size_t len, cap;
	uint32_t free; /* number + 1 of the first free one, 0 none */
};

/* Those of one site, as numbers + 1; 0 none. */
struct bpt_hit_list {
	uint32_t first, last;
};

/* Adds a copy of the hit as the list's last one. */
void bpt_hits_add(struct bpt_hits *h, struct bpt_hit_list *list,
		  const struct bpt_hit *hit);
/* Empties the list: its elements are used again. */
void bpt_hits_give(struct bpt_hits *h, struct bpt_hit_list *list);

#define BPT_NEXT 8

struct bpt_site {
	struct insn in;
	/* The program's own bytes behind the int3: they tell its code from other code. */
	uint8_t next[BPT_NEXT], nnext;
	enum step_how how;
	bool is_set;  /* the int3 is there */
	bool was_set; /* it was taken out of this code: a fork child may have it */
	bool is_gone; /* with its code */
	/*
	 * The code was written anew. The site stays for threads that have trapped there,
	 * until another is made.
	 */
	bool is_retired;
	/*
	 * The program can write to the instruction, or could: it is looked at in each
	 * hit, else now and then.
	 */
	bool may_change;
	/* It has written over it. Our byte has been taken out. */
	bool has_changed;
	uint64_t looked_ns;   /* when it was as it should be */
	uint8_t after;	      /* the byte after the instruction; 0: it may be any */
	struct xol_slot slot; /* with STEP_XOL */
	struct bpt_hit_list hits;
	uint64_t served; /* hits of fpid's probes here */
};

/* A zeroed struct is empty. */
struct bpt_table {
	struct places by_addr; /* address -> number of the site; not of dropped ones */
	struct {
		struct bpt_site *data;
		size_t len, cap;
	} sites;
	struct {
		uint32_t *data; /* numbers of sites whose code has gone */
		size_t len, cap;
	} free;
	struct bpt_hits hits;
	uint32_t nset; /* sites that are set */
	taddr lo, hi;  /* all instructions lie in [lo, hi) */
};

/* Numbers of sites. */
struct bpt_list {
	uint32_t *data;
	size_t len, cap;
};

void bpt_release(struct bpt_table *t);

/* The site at addr, set or not, or NULL. Valid until a site is added. */
struct bpt_site *bpt_find(const struct bpt_table *t, taddr addr);
/* Whether the instruction of some site has bytes in the range, which is short. */
bool bpt_has_within(const struct bpt_table *t, struct addr_range r);
/* The site's number. */
static inline uint32_t bpt_number(const struct bpt_table *t,
				  const struct bpt_site *site)
{
	return (uint32_t)(site - t->sites.data);
}

/*
 * A new site, not yet set, for the instruction at addr, whose n bytes (or more) are code.
 * NULL: no breakpoint can be there, *why says for what reason.
 */
struct bpt_site *bpt_make(struct bpt_table *t, taddr addr, const uint8_t *code,
			  size_t n, enum keeper_reason *why);
/* A new site for a decoded instruction, without a plan to get past it. */
struct bpt_site *bpt_add(struct bpt_table *t, const struct insn *in);
/* bpt_find() no longer finds the site, which is not set; its slot stays in use. */
void bpt_drop(struct bpt_table *t, const struct bpt_site *site);
/* Adds a copy of the hit as the site's last one. */
void bpt_add_hit(struct bpt_table *t, struct bpt_site *site, const struct bpt_hit *hit);

/* Sorts by address. */
void bpt_sort(const struct bpt_table *t, struct bpt_list *list);
/* Replaces each of our bytes among the n bytes read from addr by the original one. */
void bpt_hide(const struct bpt_table *t, taddr addr, void *buf, size_t n);
/*
 * Drops the sites in the range without a write: their mapping has gone. The numbers of
 * those without a slot are used again.
 */
void bpt_forget(struct bpt_table *t, struct addr_range r);
/* The same of a site that has gone, whose slot is free now. */
void bpt_give_back(struct bpt_table *t, uint32_t number);
/*
 * The code at the site has changed, and its byte is not ours: the site has no hits any
 * more. After bpt_forget() another can be made at its address.
 */
void bpt_retire(struct bpt_table *t, struct bpt_site *site);
/* Marks all sites as not set, without a write. */
void bpt_note_restored(struct bpt_table *t);

/*
 * Writes our byte at each site of the list, sorted by address, where the original is
 * (is_set false: the original where ours is, but not in code that the program has filled
 * with int3). In writable mappings, and in all if maps is empty, byte by byte. Threads
 * may run. Calls failed() for every site that does not have the wanted byte then.
 */
struct bpt_write {
	const struct bpt_table *table;
	int mem;
	const struct procfs_maps *maps;
	bool is_set;
	void (*failed)(void *ctx, uint32_t site);
	void *ctx;
};
void bpt_write(const struct bpt_write *w, const struct bpt_list *list);

/*
 * Writes the original byte of every site that is set through mem; tid: a thread of that
 * memory, for its mappings. is_copy: mem is of a fork child, which may have been made
 * while sites were set that are not any more. The table does not change.
 */
void bpt_restore(const struct bpt_table *t, int tid, int mem, bool is_copy);

#endif
