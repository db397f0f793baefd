/* SPDX-License-Identifier: MIT */
/*
 * A recording that perf has made, as the origin of events (tracer/events/origin.h). All
 * of it may be hostile: sizes and offsets are checked, and what waits in memory has a
 * limit.
 */
#ifndef TRACER_RECORDING_READ_RECORDING_H
#define TRACER_RECORDING_READ_RECORDING_H

#include "tracer/events/origin.h"

/*
 * Opens the file and reads what it says of itself. INVAL, NOENT, PERM, IO, BADFMT, UNSUP;
 * the text names the offset. The caller frees *out with origin_free().
 */
int recording_open(const char *path, struct origin **out, struct err *e);

#endif
