/* SPDX-License-Identifier: MIT */
/*
 * Sends the pending sites of a target to the keeper, in one batch, and reports those
 * that it refuses.
 */
#ifndef TRACER_TARGETS_SITE_BATCH_H
#define TRACER_TARGETS_SITE_BATCH_H

#include "tracer/targets/target.h"

/*
 * Plans and sends the pending sites, after the rows of new modules. Prints refused ones.
 * Once tracing is to end nothing is sent.
 */
int site_batch_send(struct tracer *t, struct target *target, struct err *e);
/* The same with the table of probes before it; prints a failure. */
void site_batch_send_or_report(struct tracer *t, struct target *target);

#endif
