/* SPDX-License-Identifier: MIT */
/*
 * What is asked of detour_install(): plans, with the probes at their sites.
 */
#ifndef TRACER_KEEPER_SITES_DETOUR_REQUEST_H
#define TRACER_KEEPER_SITES_DETOUR_REQUEST_H

#include "hook/hook.h"
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/bpt.h"

#include <stdatomic.h>

/* A probe at one of its sites. */
struct detour_probe {
	taddr addr;
	struct bpt_hit hit; /* next is unused */
};

struct detour_request {
	struct hook_plan plan;
	const struct detour_probe *probes; /* nprobes of them, in firing order */
	uint32_t nprobes;
	bool is_joining; /* detour number is installed: add the probes to it */
	enum keeper_reason reason; /* NONE: installed. Preset: leave it out */
	uint32_t number;	   /* of its detour */
	/* Chained jumps: the bytes that were chosen; or, if there was no choice, how many
	 * probes before these are left to breakpoints, and why. */
	uint8_t chain[HOOK_PATCH_MAX];
	uint32_t nleft;
	enum keeper_reason left_reason;
};

struct detour_requests {
	struct detour_request *data; /* ascending by site, apart */
	size_t len, cap;
	_Atomic uint32_t *progress; /* struct keeper_sites; NULL: nobody looks */
};

/* Whether the front wants no more sites. */
static inline bool detour_requests_are_over(const struct detour_requests *r)
{
	return r->progress && atomic_load_explicit(r->progress, memory_order_relaxed) &
				      KEEPER_SITES_OVER;
}

/* The sites of one more request, or others, have been come to. */
static inline void detour_requests_count(const struct detour_requests *r, uint32_t n)
{
	if (r->progress)
		atomic_fetch_add_explicit(r->progress, n, memory_order_relaxed);
}

#endif
