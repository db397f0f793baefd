/* SPDX-License-Identifier: MIT */
/*
 * After the death of the keeper: another one takes the jumps out of the targets' text,
 * through which the threads only pass by now. Breakpoints, which would kill, do not wait
 * for that (targets_rescue).
 */
#ifndef TRACER_MEND_H
#define TRACER_MEND_H

#include "tracer/target.h"

/* What cannot be mended is told. */
void mend_targets(struct tracer *t);

#endif
