/* SPDX-License-Identifier: MIT */
/*
 * All providers, and how a probe description finds its probes in them.
 */
#ifndef TRACER_PROVIDERS_PROVIDERS_H
#define TRACER_PROVIDERS_PROVIDERS_H

#include "tracer/base/provider.h"

/* Gives the run its providers and makes the probes that exist from the start. */
void providers_init(struct tracer *t);
/* Makes every probe that needs no description. */
void providers_add_all(struct tracer *t);

#endif
