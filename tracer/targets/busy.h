/* SPDX-License-Identifier: MIT */
/*
 * The hint that fpid gives the same as pid, without a stop of the thread at each event.
 */
#ifndef TRACER_TARGETS_BUSY_H
#define TRACER_TARGETS_BUSY_H

#include "tracer/base/core.h"

/*
 * KEEPER_EV_BUSY: a probe of pid, by its id, fires very often in the target. Prints which
 * description to write instead, on a terminal, unless no jump could serve the probe.
 */
void busy_report(struct tracer *t, const struct target *target, uint32_t probe);

#endif
