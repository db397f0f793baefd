/* SPDX-License-Identifier: MIT */
/*
 * Why a run has printed nothing: no probe has fired.
 */
#ifndef TRACER_NEVER_FIRED_H
#define TRACER_NEVER_FIRED_H

#include "tracer/base/core.h"

/*
 * After the targets have been released, if nothing fired in them: prints a notice with
 * the first of the probes, and what may have kept them from firing.
 */
void never_fired_report(struct tracer *t, const struct keeper_release_reply *served);

#endif
