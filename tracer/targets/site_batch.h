/* SPDX-License-Identifier: MIT */
/*
 * Sends the pending sites of a target to the keeper, in one batch, and reports those
 * that it refuses.
 */
#ifndef TRACER_TARGETS_SITE_BATCH_H
#define TRACER_TARGETS_SITE_BATCH_H

#include "tracer/targets/target.h"

/*
 * Plans the pending sites, sends them after the CFI rows of new modules, and prints those
 * that the keeper refuses. Then no site is pending. Sends none if tracing is to end.
 */
int site_batch_send(struct tracer *t, struct target *target, struct err *e);
/* Why a breakpoint is no jump; by the probe's index and arg0 at the site. "": unknown. */
const char *site_batch_why(const struct tracer *t, uint32_t probe, uint32_t arg0);
/* The same, after the probe table if that has changed. A failure is printed. */
void site_batch_send_or_report(struct tracer *t, struct target *target);
/* Prints a failure that concerns the target, unless it only says that this has gone. */
void site_batch_report(const struct tracer *t, const struct target *target,
		       const struct err *e);

#endif
