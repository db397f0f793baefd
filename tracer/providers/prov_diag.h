/* SPDX-License-Identifier: MIT */
/*
 * The diag provider: events of the tracer itself. Its own clauses cause no such events.
 *
 *	fpid		a hit of an enabled probe of fpid. Fires after the probe, in
 *			the thread that hit it and in the same execution context
 *	missed-ustack	a stack was truncated before its outermost frame. Fires in
 *			the thread, after the probe whose clauses took the stack
 *	lostevent	drops were noticed. Fires in dtrace
 *	site		a site was installed or refused. Fires in dtrace
 */
#ifndef TRACER_PROVIDERS_PROV_DIAG_H
#define TRACER_PROVIDERS_PROV_DIAG_H

#include "tracer/base/provider.h"
#include "tracer/output/drops.h"

extern const struct provider prov_diag;

/* consumer_config.lost: fires diag:::lostevent; ctx is the tracer. */
void prov_diag_fire_lost(void *ctx, enum drop kind, uint64_t n);
/* Reports the last drops, so that lostevent fires before END. */
void prov_diag_end(struct tracer *t);

#endif
