/* SPDX-License-Identifier: MIT */
#ifndef TRACER_RUN_CHECKS_H
#define TRACER_RUN_CHECKS_H

#include "tracer/base/core.h"

/*
 * Refuses programs that cannot run as they are: destructive actions that are not allowed,
 * and clauses that use data which no context of their probes has.
 */
int run_checks(struct tracer *t, struct err *e);

#endif
