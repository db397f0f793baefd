/* SPDX-License-Identifier: MIT */
/*
 * The sites of an image's probes, by address: hundreds of thousands. They come function
 * by function, so those of one page are near each other in memory.
 */
#ifndef TRACER_BASE_PLACED_SITES_H
#define TRACER_BASE_PLACED_SITES_H

#include "vm/base/host/map.h"

struct placed_site {
	uint64_t addr; /* 0: forgotten */
	uint32_t probe;
	uint32_t next; /* private */
};

/* A zeroed one is empty. */
struct placed_sites {
	struct placed_site *data; /* in the order in which they were added */
	size_t len, cap;
	/* What follows is private. */
	struct placed_page *pages;
	size_t npages, cap_pages;
	size_t last;	    /* of pages: to which one was added */
	struct map by_page; /* page of memory -> number of pages[] */
	size_t nforgotten;
};

void placed_sites_release(struct placed_sites *p);
/* False: the probe has a site at the address already. */
bool placed_sites_add(struct placed_sites *p, uint64_t addr, uint32_t probe);
/* How many probes have a site at the address. */
size_t placed_sites_at(const struct placed_sites *p, uint64_t addr);
/* Forgets those in [lo, hi). */
void placed_sites_forget(struct placed_sites *p, uint64_t lo, uint64_t hi);

#endif
