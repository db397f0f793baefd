/* SPDX-License-Identifier: MIT */
/*
 * Fields: memory for stubs near their code (struct detour_field). A field whose code has
 * all gone serves other code.
 */
#ifndef TRACER_KEEPER_SITES_FIELDS_H
#define TRACER_KEEPER_SITES_FIELDS_H

#include "tracer/keeper/sites/detour_request.h"
#include "tracer/keeper/inject/inject.h"

/*
 * Maps fields for the requests, which ascend by address, unless there are some to be used
 * again. A field that cannot be mapped is no error. STATUS_GONE: the process died.
 * Needs in->now.
 */
int fields_map(const struct injection *in, struct detour_requests *list);
/* A field with room for n more detours near this address, or NULL. */
struct detour_field *fields_find_room(struct detours *h, uint64_t patch, size_t n);

#endif
