/* SPDX-License-Identifier: MIT */
/*
 * Out-of-line slots (XOL): copies of the instructions under breakpoints (step.h), in
 * memory of ours near the program's code (rip-relative operands reach 2 GiB). An area
 * is mapped by inject_xol_area(), readable and executable; the keeper writes slots
 * through /proc/PID/mem. A slot is never moved or changed while its code is there.
 */
#ifndef TRACER_KEEPER_SPACE_XOL_H
#define TRACER_KEEPER_SPACE_XOL_H

#include "disasm/disasm.h"

/* How far an area may be from the code that it is mapped for. */
#define XOL_REACH                                                                      \
	(UINT64_C(0x7c000000)) /* 64 MiB less than 2 GiB: operands lie outside */

/* The slot of a site. */
struct xol_slot {
	taddr at;	       /* 0: it has none yet */
	uint8_t len, insn_len; /* of step_build_slot() */
};

struct xol_area {
	taddr lo;
	uint64_t size, used;
	struct {
		struct xol_owner {
			taddr at;
			uint32_t site; /* index in its table */
		} * data;
		size_t len, cap;
	} slots; /* ascending by address */
};

/* The areas of an address space. A zeroed struct is empty. */
struct xol {
	struct xol_area *data;
	size_t len, cap;
};

void xol_release(struct xol *x);
/* Adds an area that is mapped already. */
void xol_add_area(struct xol *x, taddr lo, uint64_t size);
/*
 * Frees the slots at the end of each area whose site has gone, after has_gone() said so:
 * it is called once for each of them.
 */
void xol_trim(struct xol *x, bool (*has_gone)(void *ctx, const struct xol_owner *slot),
	      void *ctx);
/* Whether pc is in a slot that is in use, and which site's it is. */
bool xol_find(const struct xol *x, taddr pc, uint32_t *site);
/* Whether an instruction at each of the n addresses can get a slot in its reach. */
bool xol_has_room(const struct xol *x, const taddr *addrs, size_t n);

/* Slots that are placed but not yet written: one run of memory. */
struct xol_run {
	int mem; /* /proc/PID/mem */
	taddr lo;
	uint8_t *data;
	size_t len, cap;
};

/*
 * Gives the site's instruction a slot and adds its bytes to the run, which is written
 * first when the slot does not follow it. STATUS_FULL: no area in reach has room;
 * STATUS_RANGE, STATUS_UNSUP as of step_build_slot(); STATUS_FAULT, STATUS_GONE: the run
 * could not be written.
 */
int xol_place(struct xol *x, const struct insn *in, uint32_t site,
	      struct xol_slot *slot, struct xol_run *run);
/* Writes what the run holds, and empties it. */
int xol_run_flush(struct xol_run *run);
void xol_run_release(struct xol_run *run);

#endif
