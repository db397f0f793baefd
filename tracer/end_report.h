/* SPDX-License-Identifier: MIT */
/*
 * Notices at the end of a run: what was not as asked for, and what it has cost.
 */
#ifndef TRACER_END_REPORT_H
#define TRACER_END_REPORT_H

#include "tracer/base/core.h"

/* What the breakpoints of fpid have cost. */
void end_report_fpid(const struct tracer *t, const struct keeper_release_reply *served);
/* How many stacks were truncated: they do not show that frames are missing. */
void end_report_stacks(const struct tracer *t);
/* Which processes have waited for room in the trace buffer (bufpolicy=wait). */
void end_report_waits(const struct tracer *t);
/* Descriptions of a program that should have been executed and was not, or that has no
 * such function. */
void end_report_awaited(const struct tracer *t);
/* What the user did not wait for (base/patience.h). False: nothing. */
bool end_report_given_up(const struct tracer *t);

#endif
