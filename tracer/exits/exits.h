/* SPDX-License-Identifier: MIT */
/*
 * Where the functions of a module are left (the sites of return probes), for many
 * functions at once: other threads look for the exits in the module's file while this
 * one uses them, and what they find is kept for later runs (plancache.h). It is known of
 * the bytes of a function, by a sum of them, and used where memory has them:
 *
 *	exits_find()	file, or kept ones  -->  bytes of a function: its exits
 *	exits_of()	memory of a function -->  its exits, if its bytes are known
 *
 * What scan_function() would find in these bytes is the same. Where memory has others,
 * the caller scans them.
 */
#ifndef TRACER_EXITS_EXITS_H
#define TRACER_EXITS_EXITS_H

#include "disasm/disasm.h"
#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "vm/base/proc/procmem_window.h"

#define EXITS_PARTS_MAX 64	    /* of one function; others count as outside */
#define EXITS_BYTES_MAX (64u << 20) /* of a function that are read */

/* The function's range, then its other parts that the module maps. Returns how many. */
size_t exits_ranges(const struct module *m, const struct symbol *sym,
		    struct addr_range out[EXITS_PARTS_MAX]);

/* The ranges of a request to scan one part of a function: that part comes first. */
void exits_order(const struct addr_range *ranges, size_t n, size_t part,
		 struct addr_range out[EXITS_PARTS_MAX]);

/* Reads a function, a part after the other, as it is in memory. */
struct exits_scan {
	struct procmem_window *memory;
	struct exits *known;	       /* as for exits_of(), or NULL ... */
	const struct symbol *function; /* ... and the function, or NULL */
	const struct addr_range *ranges;
	size_t nranges;
	struct scan_request request; /* who is told what: site, data, ctx, exits_only */
	/* The part that is read: where it begins, and its bytes, with INSN_ROOM more. */
	taddr scanned;
	const uint8_t *code;
};

/*
 * Part i of it; a known exit is told as one that is_exit. Returns 0, or what
 * scan_function() or the reading returned, with the offset in *bad.
 */
int exits_scan_part(struct exits_scan *x, size_t i, uint32_t *bad);

/* The functions of one module, in the order of their addresses. */
struct exits_functions {
	const struct symbol **data; /* vec; borrowed from the module */
	size_t len, cap;
	uint64_t bytes; /* of their ranges, to be counted by who adds them */
};

/*
 * Begins to find the exits of these functions; m's symbols have been loaded, and neither
 * they nor the parts nor the list change until exits_free(). NULL: they are too few, the
 * file cannot be read, or tracing is to end. Freed by exits_free(), before m.
 */
struct exits *exits_find(struct tracer *t, const struct module *m,
			 const struct exits_functions *functions);
/* Finds the rest, and keeps what was found, if it is new. */
void exits_free(struct exits *x);

/*
 * The exits in the bytes of a request, a part of the function, by their offsets,
 * ascending: *n of them, each confirmed as scan_is_exit() does. Waits until the function
 * has been searched; the fastest order of calls is that of the functions. False: they are
 * not known, tracing is to end, or x is NULL.
 */
bool exits_of(struct exits *x, const struct symbol *function,
	      const struct scan_request *req, const uint32_t **offsets, size_t *n);

#endif
