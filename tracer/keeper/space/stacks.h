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
	 * Rows of modules that have gone, until stacks_recycle(). A module that is loaded
	 * again gets its rows back: nothing needs to be mapped for it.
	 */
	struct {
		struct stacks_rows {
			uint64_t rows, nrows;
		} * data;
		size_t len, cap;
	} spare;
	struct map there; /* address of rows in the keeper -> in the target */
	struct {
		struct stacks_area {
			uint64_t at, bytes;
			bool is_free; /* no thread reads there */
		} * data;
		size_t len, cap;
	} areas;	  /* mappings of rows in the target */
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
 * them. STATUS_BADFMT: they are malformed; those before the fault stay. When too much is
 * kept for modules that have gone, none are added, and stacks_report_full() says so.
 */
int stacks_add(struct stacks *s, struct link_memory rows, struct err *e);
/* The modules in the range have gone with their mapping. */
void stacks_forget(struct stacks *s, struct addr_range r);

/* Modules in all lists that may be published before they are crowded. */
uint64_t stacks_listed_max(const struct stacks *s);
/*
 * Whether so much is kept for modules that have gone, or so many lists were published,
 * that stacks_recycle() is worth an all-stop. v: NULL before resident code is there.
 */
bool stacks_are_crowded(const struct stacks *s, const struct resident_view *v);
/*
 * Gives up the rows of modules that have gone, and begins the lists anew. If resident
 * code is installed: in an all-stop in which no thread is in the middle of a hit. ntcbs:
 * of the block's thread control blocks that were ever in use. Else v is NULL.
 */
void stacks_recycle(struct stacks *s, const struct resident_view *v, uint32_t ntcbs);

/* Bytes of the rows that are not in the target. */
uint64_t stacks_missing(const struct stacks *s);
/* Copies these rows to memory of so many bytes. */
void stacks_copy_missing(const struct stacks *s, void *to);
/*
 * Raises *bytes to the size of the mapping that they should have. Returns whether there
 * is one of that size whose rows were given up, at *at; it is given away.
 */
bool stacks_take_area(struct stacks *s, uint64_t *at, uint64_t *bytes);
/* What stacks_copy_missing() copied is there now, in a mapping of so many bytes. */
void stacks_note_there(struct stacks *s, uint64_t at, uint64_t bytes);
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

/* A frame of a stack. */
struct stacks_frame {
	uint64_t pc, sp, fp, base; /* registers of enum regs_dwarf; 0: not known */
	bool is_exact;		   /* a signal came at pc; else it is behind a call */
	bool is_handled;	   /* ... it returns from the handler of a signal */
	uint64_t end; /* sp of its caller; UINT64_MAX: no caller is known */
};

/* How stacks_each() has ended. */
enum stacks_end {
	STACKS_OUTERMOST, /* after the outermost frame */
	STACKS_TRUNCATED, /* after one whose caller is not known */
	STACKS_ENOUGH,	  /* visit() has said so */
};

/*
 * Calls visit() with each frame of a stopped thread, until that returns false. It begins
 * at the first, which is complete but for its last two members, or where the thread is.
 * The thread's process has the memory mem, of mem_open(). s may be NULL.
 */
struct stacks_visit {
	int mem;
	const struct stacks_frame *first;   /* or NULL: */
	const struct stacks_thread *thread; /* where the thread is */
	bool (*visit)(void *ctx, const struct stacks_frame *frame);
	void *ctx;
};
enum stacks_end stacks_each(struct stacks *s, const struct stacks_visit *v);

#endif
