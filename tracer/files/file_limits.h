/* SPDX-License-Identifier: MIT */
/*
 * What the files of targets may cost: the option symlimit, and the end of tracing, which
 * their readers must not delay.
 */
#ifndef TRACER_FILES_FILE_LIMITS_H
#define TRACER_FILES_FILE_LIMITS_H

#include "tracer/base/core.h"

/* Sets the limits of symbols/ for this run, from its options; t must outlive all use. */
void file_limits_set(struct tracer *t);

/* Bytes that the rows of one target for stack walks may take. */
uint64_t file_limits_rows(const struct tracer *t);

#endif
