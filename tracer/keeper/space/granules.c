/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/granules.h"

#define PAGE	4096
#define OF_PAGE (PAGE / GRANULE)

_Static_assert(OF_PAGE == 64, "a word has a bit for each");

void granules_release(struct granules *g)
{
	map_release(&g->pages);
}

void granules_add(struct granules *g, taddr at)
{
	uint64_t bits = 0;

	map_get(&g->pages, at.v / PAGE, &bits);
	map_set(&g->pages, at.v / PAGE, bits | UINT64_C(1) << at.v / GRANULE % OF_PAGE);
}

bool granules_have(const struct granules *g, taddr lo, taddr hi)
{
	uint64_t page = 0, bits = 0;
	bool is_known = false;

	for (uint64_t at = align_down(lo.v, GRANULE), n = hi.v - at; hi.v - at - 1 < n;
	     at += GRANULE) {
		if (!is_known || at / PAGE != page) {
			page = at / PAGE;
			bits = 0;
			map_get(&g->pages, page, &bits);
			is_known = true;
		}
		if (bits >> at / GRANULE % OF_PAGE & 1)
			return true;
	}
	return false;
}
