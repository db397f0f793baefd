/* SPDX-License-Identifier: MIT */
/*
 * Probes that no site fires.
 */
#ifndef TRACER_KEEPER_SOURCES_H
#define TRACER_KEEPER_SOURCES_H

#include "tracer/keeper/core.h"

/* KEEPER_REQ_SOURCES: on failure there are none. */
int sources_load(struct keeper *k, struct sent table, struct err *e);

#endif
