/* SPDX-License-Identifier: MIT */
/*
 * The diag provider: the tracer watches itself. What its clauses do is no event of it.
 *
 *	fpid		each event of an enabled probe of fpid: in the thread that
 *			hit it, behind the probe, and in the home that served it
 *	missed-ustack	a stack ended before its outermost frame: in the thread,
 *			behind the probe whose clauses took it
 *	lostevent	drops were noticed: in the front
 *	site		a site of pid or fpid was set or refused: in the front
 */
#ifndef TRACER_PROVIDERS_PROV_DIAG_H
#define TRACER_PROVIDERS_PROV_DIAG_H

#include "tracer/base/provider.h"
#include "tracer/output/drops.h"

extern const struct provider prov_diag;

/* consumer_config.lost: fires diag:::lostevent; ctx is the tracer. */
void prov_diag_fire_lost(void *ctx, enum drop kind, uint64_t n);
/* The last losses are told of although nothing else fires any more. */
void prov_diag_end(struct tracer *t);

#endif
