/* SPDX-License-Identifier: MIT */
/*
 * What targets say by the memory that they can write to (trust/README.md), in this run:
 * which of their requests count, and what is printed of impossible counters.
 */
#ifndef TRACER_DISTRUST_H
#define TRACER_DISTRUST_H

#include "tracer/base/core.h"

/* From now on requests of targets are believed where a clause makes them. */
void distrust_begin(struct tracer *t);
/* At the end: which processes claim firings that are impossible. */
void distrust_report(const struct tracer *t, const struct keeper_liars *l);

#endif
