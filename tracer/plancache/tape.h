/* SPDX-License-Identifier: MIT */
/*
 * Plans of one module as bytes: in the order in which they were made, with the addresses
 * of the file. About 16 bytes each.
 *
 *	a part of a function	its first plan is marked
 *	a plan			the wants of its part that it is for follow those of the
 *				plan before it
 *
 * Bytes that are read may be damaged or made up: plan_tape_next() accepts a plan only if
 * hook_plan_is_sound(), and what it says of boundaries is what its instructions are.
 * Whether it fits what is wanted, and memory, is for the caller to see.
 */
#ifndef TRACER_PLANCACHE_TAPE_H
#define TRACER_PLANCACHE_TAPE_H

#include "hook/hook.h"
#include "vm/base/host/strbuf.h"

/*
 * A zeroed one is empty. One that was written can be read. Of a file only a window is in
 * memory: there may be megabytes.
 */
struct plan_tape {
	struct strbuf bytes; /* all, or a window of the file */
	size_t at;	     /* of what is read next */
	uint64_t patch;	     /* of the plan before */
	/* private: the file */
	int file;	/* 1 + descriptor; 0: there is none */
	uint64_t begin; /* of the first plan */
	uint64_t next;	/* of what follows the window */
	uint64_t end;
};

struct plan_tape_entry {
	struct hook_plan plan;
	uint32_t n; /* wants */
	bool begins_part;
};

/* Reads plans from [begin, end) of the file, which plan_tape_release() closes. */
void plan_tape_open(struct plan_tape *t, int fd, uint64_t begin, uint64_t end);
void plan_tape_release(struct plan_tape *t);
void plan_tape_add(struct plan_tape *t, const struct plan_tape_entry *e);
/* Reads from the beginning again. */
void plan_tape_rewind(struct plan_tape *t);
/* False: at the end, or what is there is no plan. */
bool plan_tape_next(struct plan_tape *t, struct plan_tape_entry *e);
/* Whether the next plan belongs to the part of the one before. */
bool plan_tape_goes_on(struct plan_tape *t);

#endif
