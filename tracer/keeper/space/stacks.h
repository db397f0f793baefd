/* SPDX-License-Identifier: MIT */
/*
 * Stacks of stopped threads: the CFI rows of the modules in an address space, which the
 * front sends, and walks along them.
 */
#ifndef TRACER_KEEPER_SPACE_STACKS_H
#define TRACER_KEEPER_SPACE_STACKS_H

#include "hook/resident.h"
#include "tracer/keeper/space/keeper_program.h"
#include "vm/base/host/map.h"
#include "vm/base/cfi.h"

#include "vm/base/regs.h"

#define STACKS_KNOWN 1024u

struct stacks {
	struct {
		struct cfi_module *data;
		size_t len, cap;
	} modules; /* ascending, apart */
	struct {
		char **data;
		size_t len, cap;
	} files; /* private copies, with the rows */
	/*
	 * Rows of modules that have gone. A module that is loaded again gets its rows
	 * back: neither the keeper nor the target needs further memory for it.
	 */
	struct {
		struct stacks_rows {
			uint64_t rows, nrows;
		} * data;
		size_t len, cap;
	} spare;
	struct map there; /* address of rows in the keeper -> in the target */
	uint32_t nlisted; /* elements of the resident block's modules in use */
	struct {
		struct stacks_list {
			uint32_t first, n;
			uint64_t hash; /* of its modules */
		} * data;
		size_t len, cap;
	} lists; /* published so far: the same list is published again, not copied */
	bool is_full;	  /* ... had no room: resident code uses no rows any more */
	bool is_reported; /* ... and the front knows */
	struct cfi_cached known[STACKS_KNOWN];
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *s);

/*
 * KEEPER_REQ_ROWS: copies and checks the rows. A module that overlaps others replaces
 * them. STATUS_BADFMT: they are malformed; those before the fault stay.
 */
int stacks_add(struct stacks *s, struct link_memory rows, struct err *e);
/* The modules in the range have gone with their mapping. */
void stacks_forget(struct stacks *s, struct addr_range r);

/* Bytes of the rows that are not in the target. */
uint64_t stacks_missing(const struct stacks *s);
/* Copies these rows to memory of so many bytes. */
void stacks_copy_missing(const struct stacks *s, void *to);
/* What stacks_copy_missing() copied has been mapped at this address of the target. */
void stacks_note_there(struct stacks *s, uint64_t at);
/*
 * Publishes a new list of the modules whose rows are in the target to resident code,
 * which may run. When the block has no room for the list, resident code uses no rows
 * any more.
 */
void stacks_publish(struct stacks *s, const struct resident_view *v);
/* Whether that has happened; true only once. s may be NULL. */
bool stacks_report_full(struct stacks *s);

/*
 * Walks the stack of the stopped thread: stores up to n pcs and returns how many. s may
 * be NULL: then by frame pointers only. Most stacks take one read of the memory.
 */
struct stacks_thread {
	int mem;		 /* of mem_open() */
	const struct regs *regs; /* with rip where its frame is */
	bool is_edge;		 /* of struct unwind_regs */
	taddr truncated_pc;	 /* out: where the walk was truncated; 0: it was not */
};
uint32_t stacks_walk(struct stacks *s, struct stacks_thread *t, uint64_t *pcs,
		     uint32_t n);

#endif
