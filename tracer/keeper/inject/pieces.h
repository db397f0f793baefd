/* SPDX-License-Identifier: MIT */
/*
 * Mappings of ours that grow where they are (detours.h): the block's tables and TCBs, the
 * exchange's slots and pool. Each is made with the addresses behind it free, up to the
 * layout's end, and grows by mremap(2), which needs no file and takes nothing that the
 * program has mapped there meanwhile. Anything else of the process that the tracer needs
 * is a mapping of its own.
 *
 * One stopped thread makes the calls; the others may run.
 */
#ifndef TRACER_KEEPER_INJECT_PIECES_H
#define TRACER_KEEPER_INJECT_PIECES_H

#include "tracer/keeper/inject/injection.h"

/* What is mapped: n bytes of a file of the process, at exactly this address. */
struct piece_source {
	int fd, prot;
	uint64_t at, offset, n;
};

/*
 * Maps a piece for the first time. STATUS_FULL: something is at the address;
 * STATUS_NOMEM, _IO, _GONE.
 */
int piece_map(const struct injection *in, uint32_t piece, const struct piece_source *s);
/*
 * Lets the piece have at least n bytes, a multiple of the page. STATUS_NOMEM: a limit
 * forbids it, or something else is behind it; then it is as it was.
 */
int piece_grow(const struct injection *in, uint32_t piece, uint64_t n);
/* The same for the part of the block, with what it has for so many elements. */
int piece_grow_part(const struct injection *in, enum resident_part part,
		    const struct resident_config *there);

/*
 * Count caches of the pairs from first on, for so many sites each, in a mapping of their
 * own. What these pairs had before stays mapped, for threads that are about to use it.
 */
int piece_map_caches(const struct injection *in, uint32_t first, uint32_t n,
		     uint32_t nsites);

#endif
