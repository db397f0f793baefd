/* SPDX-License-Identifier: MIT */
/*
 * Serves the requests of the front (keeper.h), with one reply for each.
 */
#ifndef TRACER_KEEPER_REQUEST_H
#define TRACER_KEEPER_REQUEST_H

#include "tracer/keeper/threads/core.h"

/* Serves all requests that have arrived. Sets k->is_over when the front has gone. */
void request_serve(struct keeper *k);

#endif
