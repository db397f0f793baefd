/* SPDX-License-Identifier: MIT */
/*
 * An instrumented address space: all that is ours in it, breakpoints (bpt.h) and detours
 * (detours.h) together, with the memory they need. The functions below do for both what
 * must never be done for one of them alone.
 *
 * A space outlives none of its processes. A vfork child shares its parent's; an exec
 * makes a new one; a fork child keeps a reference to its parent's until its copy is
 * clean. Addresses are the target's; mem is a descriptor of /proc/PID/mem.
 */
#ifndef TRACER_KEEPER_SPACE_SPACE_H
#define TRACER_KEEPER_SPACE_SPACE_H

#include "tracer/keeper/os/patience.h"
#include "tracer/keeper/os/stop.h"
#include "tracer/keeper/space/bpt.h"
#include "tracer/keeper/mapped/mapping_calls.h"
#include "tracer/keeper/space/detour_text.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/semaphores.h"
#include "tracer/keeper/undo/undo_log.h"

struct frames;
struct stacks;

/* Memory that we mapped. */
struct space_mapping {
	taddr lo;
	uint64_t size;
};

struct space_ranges {
	struct addr_range *data;
	size_t len, cap;
};

/* Where the jump goes that stands for the program's instruction at an address. */
struct space_landing {
	taddr at, landing;
	bool is_call;
};

struct space_landings {
	struct space_landing *data;
	size_t len, cap;
};

#define SPACE_MOVES_MAX 16

struct space_moves {
	struct mapping_move data[SPACE_MOVES_MAX];
	uint32_t n; /* so far; the oldest make room */
};

/* n bytes of ours, and the program's own in their place. */
struct text_patch {
	taddr at;
	uint8_t from[HOOK_COVERED_MAX], to[HOOK_COVERED_MAX];
	uint8_t n;
};

/* What would undo a site that was lost. */
struct lost_patch {
	struct text_patch patch;
	uint8_t next[BPT_NEXT], nnext; /* as in struct bpt_site */
};

struct space {
	int mem;       /* owned; -1: not open */
	uint32_t refs; /* of processes in it, and of code that uses it for a while */
	struct patience patience;
	uint64_t python; /* address of the state of Python 3.11; 0: none is known */
	uint64_t python_names; /* bytes of them that this process has added */
	bool has_own_ids; /* of Python: threads have other numbers in the process */
	bool has_ended;	  /* its process is about to end: changed code was looked for */
	int family;	  /* children are followed for this process; 0: they are not */
	taddr syscall;	  /* a syscall instruction, or 0 (remote.h) */
	taddr return_stub; /* where calls are made from, or 0 (return_stub.h) */
	struct bpt_table bpts;
	struct xol xol;
	struct space_ranges ranges; /* parts of functions, which hits refer to */
	size_t nkept;		    /* of them by the last space_compact_ranges() */
	struct {
		struct space_mapping *data;
		size_t len, cap;
	} mappings; /* still to be unmapped, in the order they were made */
	struct undo_log undo_log;
	struct semaphores semaphores;
	struct mapping_calls mapping_calls;
	struct {
		struct lost_patch *data;
		size_t len, cap;
	} lately_lost;
	struct space_landings lately_led; /* where their jumps led to */
	struct space_moves moves;	  /* of the last space_restore_moved() */
	struct detours *detours;	  /* NULL: none were ever asked for */
	struct stacks *stacks;		  /* CFI rows; NULL: none were sent */
	struct frames *frames; /* functions that frames are of; NULL: none were sent */
};

/* A new, empty space with one reference, its memory not yet open (mem -1). */
struct space *space_new(void);
/* Opens the memory of the process's (or thread's) present image: 0 or a status. */
int space_open(struct space *s, int pid);
struct space *space_ref(struct space *s);
/* Gives one reference back. The last one frees; nothing is written to the target. */
void space_unref(struct space *s);

/* Notes memory that has been mapped; takes the newest out, false when there is none. */
void space_add_mapping(struct space *s, taddr lo, uint64_t size);
bool space_pop_mapping(struct space *s, struct space_mapping *out);
/* Notes that the mapping that begins at lo is larger now. */
void space_grow_mapping(struct space *s, taddr lo, uint64_t size);

/* Where a stopped thread's pc is; sp tells whether it runs on a stack of ours. */
struct space_place {
	enum stop_where where;
	struct bpt_site
		*site; /* that the pc belongs to: after its int3, or in its slot */
	struct detour *detour; /* in whose stub or island the pc is */
};
struct space_place space_where(const struct space *s, taddr pc, taddr sp);

/* Replaces our bytes among the n bytes read from addr by the program's own. */
void space_hide(const struct space *s, taddr addr, void *buf, size_t n);
/* Whether there are, or were, breakpoints or detours near the range, perhaps. */
bool space_may_have_breakpoints(const struct space *s, const struct addr_range *r);
bool space_may_have_detours(const struct space *s, const struct addr_range *r);
/* Whether there are breakpoints that are set, or detours, in the range. */
bool space_has_sites(const struct space *s, struct addr_range r);
/* The program can write to what is in the range: its breakpoints may change. */
void space_note_writable(struct space *s, struct addr_range r);
/* Adds the numbers of all detours that are on and have bytes in the range. */
void space_list_detours(const struct space *s, struct addr_range r,
			struct bpt_list *numbers);
/* Whether a change of ours overlaps n bytes from addr: then *at is its instruction. */
bool space_overlaps(const struct space *s, taddr addr, uint64_t n, taddr *at);
/* Whether this memory, of a fork child, has our bytes where the space has its first. */
bool space_is_copied(const struct space *s, int mem);

/*
 * Writes the program's own bytes over all changes of ours, through mem: of the space, or
 * of a fork child that has a copy of it; tid is a thread of that memory. Writes are tried
 * twice; what is not ours (any more) is left alone. The space does not change. No thread
 * may be inside bytes of a detour.
 */
void space_restore(const struct space *s, int tid, int mem);
/* After that: nothing of ours is set any more. */
void space_note_restored(struct space *s);
/*
 * The program has moved memory of its own: writes its own bytes over what moved with it
 * of ours, where it is now. False: nothing of ours was there. The space does not change:
 * sites_forget_lost().
 */
bool space_restore_moved(struct space *s, const struct mapping_move *move);
/*
 * A thread has trapped at a byte that is no site's: *from is a site whose byte has gone
 * from where it was, and may have moved to there. False: there is none.
 */
bool space_finds_moved(const struct space *s, taddr trap, taddr *from);
/* Whether the address is where space_restore_moved() has done so, not long ago. */
bool space_has_moved_to(const struct space *s, taddr at);
/*
 * A thread has jumped to an address at which there is nothing to execute: whether a jump
 * of ours has led it there that has moved with its code. from is where the program's
 * instruction was, and to where it is; is_call: there is a return address on the stack.
 * The jump may have been taken out since then.
 */
struct space_jump {
	taddr from, to;
	bool is_call;
};
bool space_finds_moved_jump(const struct space *s, taddr fault, struct space_jump *out);
/*
 * Whether the program has written over the instruction of a site that is set, or over
 * part of it, as where it has another operand now. If that is so, space_lose_site()
 * takes our byte out if it is there: what the program has written counts.
 */
bool space_finds_changed(const struct space *s, const struct bpt_site *site);
void space_lose_site(struct space *s, struct bpt_site *site);
/*
 * The probes of sites that the program has written over: what was written for the site,
 * or what the program had beside it, is something else now. What is unmapped does not
 * count. Nothing is written; threads may run.
 */
void space_find_changed(const struct space *s, const struct procfs_maps *maps,
			struct keeper_ev_changed *out);
/* Sites in the range are about to be forgotten: their code may have moved just now. */
void space_note_lost(struct space *s, struct addr_range r);
/* What was in the range has gone with its mapping: nothing is written. */
void space_forget(struct space *s, struct addr_range r);
/*
 * Slots at the end of an area whose code has gone are used again, unless one of these n
 * pcs is in them: of threads that sleep. A thread that runs there is about to crash, with
 * or without us.
 */
void space_recycle_slots(struct space *s, const taddr *pcs, size_t n);
/* Whether there may be such slots. */
bool space_has_old_slots(const struct space *s);
/*
 * Drops ranges that no hit refers to, now and then: the others get new numbers. For code
 * that keeps none.
 */
void space_compact_ranges(struct space *s);

/* Whether the sites of the list that need slots (xol.h) can get them. */
bool space_has_slots(const struct space *s, const struct bpt_list *list);
/*
 * Gives slots to the sites that need one, and writes them. Adds to ready (unless that is
 * NULL) the sites of the list that can be set then. STATUS_FULL: some found no room;
 * STATUS_GONE, STATUS_FAULT: the memory cannot be written.
 */
int space_place_slots(struct space *s, const struct bpt_list *list,
		      struct bpt_list *ready);
/*
 * Sets the breakpoints of the list, sorted by address. maps may be empty: then byte by
 * byte. is_set says which could be written. Threads may run, and hit them at once.
 */
void space_set_breakpoints(struct space *s, const struct bpt_list *list,
			   const struct procfs_maps *maps);

/* Clears those of the list, sorted by address. Threads may run; some may have trapped. */
void space_clear_breakpoints(struct space *s, const struct bpt_list *list);
/*
 * Code in the range was written anew. Takes out its breakpoints, where ours stands before
 * the rest of the instruction that it replaced; all their sites are retired.
 */
void space_drop_sites(struct space *s, struct addr_range r);

/* Puts the bytes of a detour into the undo log, before they are written. */
void space_note_detour(const struct space *s, const struct detour *detour);
/* The undo log has the semaphores that are raised now. */
void space_note_semaphores(const struct space *s);

/*
 * Keeps the list of shadowed bytes (shadow.h) from now on, beginning with what is set.
 * Resident code must be installed. In an all-stop.
 */
void space_keep_shadow(struct space *s);
/* Adds what detour_texts_write() wrote, of detours that are on; or removes it. */
void space_shadow_detours(struct space *s, const struct detour_texts *set);
void space_unshadow_detours(struct space *s, const struct detour_texts *undone);

#endif
