/* SPDX-License-Identifier: MIT */
/* Room in the tables of the resident block for what a request brings. */
#ifndef TRACER_KEEPER_SITES_TABLES_H
#define TRACER_KEEPER_SITES_TABLES_H

#include "tracer/keeper/sites/detour_request.h"
#include "tracer/keeper/inject/inject.h"

/*
 * In an all-stop, before the request is built. What finds no room all the same, because
 * the process may not map more, is refused when it is built.
 */
void tables_grow(const struct injection *in, const struct detour_requests *list);

#endif
