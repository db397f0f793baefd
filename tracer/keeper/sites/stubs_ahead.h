/* SPDX-License-Identifier: MIT */
/*
 * Stubs of many requests, built by a thread of their own while the keeper stops threads,
 * maps memory and installs earlier ones. They are built where their code is, and moved to
 * their place (stub_place()) by who installs them.
 */
#ifndef TRACER_KEEPER_SITES_STUBS_AHEAD_H
#define TRACER_KEEPER_SITES_STUBS_AHEAD_H

#include "hook/trampoline.h"
#include "tracer/keeper/sites/detour_request.h"

struct stubs_ahead;

/*
 * Begins with the first request. The list stays as it is, but that the plans of chained
 * jumps may change. NULL: there are too few.
 */
struct stubs_ahead *stubs_ahead_begin(const struct detour_requests *list);
/* Ends the thread. NULL is allowed. */
void stubs_ahead_end(struct stubs_ahead *s);

/*
 * The stub of a request, for req->stub; requests are asked for in ascending order. False:
 * it has not been built, or cannot be moved there; then stub_build() says why. Without
 * its points. s may be NULL.
 */
bool stubs_ahead_take(struct stubs_ahead *s, size_t number,
		      const struct stub_request *req, struct stub *out);

#endif
