/* SPDX-License-Identifier: MIT */
/*
 * For the tests of resident code: makes this process its own target. Maps the text,
 * a state block, program and resident block, patches functions of the test with
 * stubs, and gives threads their GS base, all as the keeper does from outside.
 */
#ifndef TESTS_UNIT_SUPPORT_RESIDENT_LAB_H
#define TESTS_UNIT_SUPPORT_RESIDENT_LAB_H

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hook/resident.h"
#include "hook/target.h"
#include "hook/trampoline.h"
#include "tests/unit/support/block_read.h"
#include "tests/unit/support/vm_image.h"
#include "vm/agg.h"

enum {
	LAB_SITES = 16,
	LAB_PLACE = 1000, /* place key of site 0 */
	LAB_PROBES = 4,
	LAB_TCBS = 8,
	LAB_SHADOWS = 4096,
	LAB_STUB_BYTES = 256,
	LAB_LOW_BYTES = 1 << 20,
};

/* The functions that tests hook, in pages of their own. */
extern const unsigned char hooked_begin[], hooked_end[];

/* What the next lab_new() makes otherwise than usual. */
extern struct lab_wishes {
	bool is_apart;	  /* probe number i has clause number i alone */
	uint64_t aggsize; /* 0: as usual */
	bool is_native;	  /* clauses have machine code */
} lab_wishes;

struct lab_site {
	struct hook_plan plan;
	struct stub stub;
};

#define LAB_READERS 64 /* of the first slots */

struct lab {
	const struct resident_text *text;
	struct resident_place place;
	struct resident_view view;
	struct resident_block *block; /* of the view */
	unsigned char *caches;	      /* count caches of all TCBs */
	struct state *state;
	struct ring_reader readers[LAB_READERS];
	uint64_t state_bytes;
	void *image;
	size_t image_bytes;
	unsigned char *stubs;
	uint64_t *switches;
	struct lab_site sites[LAB_SITES];
	uint32_t nsites;
	struct native_code native; /* mapped at native_at */
	uint64_t native_at;
	struct hook_branches *branches;
	struct hook_bytes code;
	struct hook_module module;
};

/* A program region with the table: every probe has all clauses. */
void lab_program(struct lab *lab, size_t more_names);

struct lab *lab_new(struct builder *b);

/* Hooks [lo, hi) with one probe, and turns it on. Returns the site. */
uint32_t lab_hook(struct lab *lab, const void *lo, const void *hi, uint32_t probe);

void lab_set_gs(uint64_t base);
/* The calling thread is one without an area. */
void lab_use_shared_gate(const struct lab *lab);

struct resident_tcb *lab_tcb(struct lab *lab, uint32_t index);

/* Gives the calling thread an area. */
void lab_register(struct lab *lab, uint32_t index, bool is_inert);

/* Bytes as they were, nothing mapped. The calling thread's GS base is 0 then. */
void lab_free(struct lab *lab);

/* Sum of all elements of a slot's count() aggregations. */
uint64_t lab_count(struct lab *lab, uint32_t slot);

/* The slot's next record, taken; NULL when there is none. */
const struct record *lab_record(struct lab *lab, uint32_t slot);

/* @[probefunc] = count() */
struct builder *lab_counting(void);

#endif
