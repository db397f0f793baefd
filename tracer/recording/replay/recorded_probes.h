/* SPDX-License-Identifier: MIT */
/*
 * The probes that a recording of ours has (tracer/recording/own_events.h). They get the
 * names, and the numbers, that they had in the run that was recorded.
 */
#ifndef TRACER_RECORDING_REPLAY_RECORDED_PROBES_H
#define TRACER_RECORDING_REPLAY_RECORDED_PROBES_H

#include "tracer/base/core.h"

struct recorded_probes;

/*
 * Makes the probes of the recording that is t->origin, before anything is compiled, as
 * t->recorded. It stays NULL if the recording is none of ours. BADFMT, IO.
 */
int recorded_probes_load(struct tracer *t, struct err *e);
/* After the probes. r may be NULL, here and below. */
void recorded_probes_free(struct recorded_probes *r);
/* $target of the run that was recorded; 0: it had none. */
int recorded_probes_target(const struct recorded_probes *r);

#endif
