/* SPDX-License-Identifier: MIT */
/*
 * Memory for the islands of punned jumps (hook/hook.h): each is at one given address,
 * and its page, or two, can be mapped there or not. Islands share pages; the pages are
 * unmapped with everything else of ours.
 */
#ifndef TRACER_KEEPER_SITES_PUNS_H
#define TRACER_KEEPER_SITES_PUNS_H

#include "tracer/keeper/inject/inject.h"
#include "tracer/keeper/sites/detour_request.h"

/*
 * Maps what the punned jumps of the list need; those that cannot have it get their
 * reason. STATUS_GONE: the process died.
 */
int puns_map(const struct injection *in, struct detour_requests *list);

#endif
