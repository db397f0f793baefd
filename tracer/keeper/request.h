/* SPDX-License-Identifier: MIT */
/*
 * Requests of the front, one reply each.
 */
#ifndef TRACER_KEEPER_REQUEST_H
#define TRACER_KEEPER_REQUEST_H

#include "tracer/keeper/threads/core.h"

/* Serves all that have arrived; sets k->is_over when the front has gone. */
void request_serve(struct keeper *k);

#endif
