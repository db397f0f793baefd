/* SPDX-License-Identifier: MIT */
/* The format of a recorded tracepoint, without what could harm who parses it. */
#ifndef TRACER_RECORDING_READ_FORMATS_H
#define TRACER_RECORDING_READ_FORMATS_H

#include "tracer/recording/read/tracing_data.h"
#include "vm/base/host/strbuf.h"

/* Whether its names are those of a tracepoint: letters, digits, '_' and '-'. */
bool format_is_safe(const struct recorded_format *f);
/*
 * Appends its text: the number, the name and the fields, but no way to print it.
 * BADFMT: a line of it makes no sense.
 */
int format_write(const struct recorded_format *f, struct strbuf *out, struct err *e);

#endif
