/* SPDX-License-Identifier: MIT */
/*
 * Stacks of threads that are stopped: rows of the modules in an address space, from
 * the front, and walks along them.
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
	} files;	  /* where their rows are: private copies */
	struct map there; /* address of rows here -> in the target, for resident code */
	uint32_t nlisted; /* elements of the resident block's modules in use */
	bool is_unlisted; /* resident code has been told of none, though there are */
	bool is_told;	  /* ... and the front knows */
	struct cfi_cached known[STACKS_KNOWN];
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *s);

/* KEEPER_REQ_ROWS: copies and checks; a module that overlaps others replaces them. */
int stacks_add(struct stacks *s, struct link_memory rows, struct err *e);
/* The modules in the range have gone with their mapping. */
void stacks_forget(struct stacks *s, struct addr_range r);

/*
 * Makes the modules whose rows are in the target those that resident code knows, from
 * now on. When the block's room for lists is used up it knows none any more.
 */
void stacks_publish(struct stacks *s, struct resident_block *block);
/* Whether resident code has become ignorant of rows, for the first time it is asked. */
bool stacks_report_full(struct stacks *s);

/*
 * The stack of the stopped thread, as unwind_walk(); s may be NULL, when only frame
 * pointers are followed. One read of its memory serves most stacks.
 */
struct stacks_thread {
	int tid;
	const struct regs *regs; /* with rip where its frame is */
	bool is_edge;		 /* of struct unwind_regs */
	taddr truncated_pc;	 /* out: where the walk was truncated; 0: it was not */
};
uint32_t stacks_walk(struct stacks *s, struct stacks_thread *t, uint64_t *pcs,
		     uint32_t n);

#endif
