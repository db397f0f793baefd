/* SPDX-License-Identifier: MIT */
/*
 * Names, labels and numbers of the metrics page.
 */
#ifndef TRACER_EXPORT_METRIC_TEXT_H
#define TRACER_EXPORT_METRIC_TEXT_H

#include "vm/base/host/strbuf.h"

/* More bytes of a label's value are not served. */
#define METRIC_LABEL_MAX 1024

/*
 * Appends the name of an aggregation's metric: "dtrace_" and its name, "aggregation" if
 * that is "_". A suffix that OpenMetrics keeps for itself (_total, _count ...) gets a _.
 */
void metric_name(struct strbuf *to, const char *name);
/*
 * Appends the value of a label between its quotes. Of a longer one the beginning, and
 * a hash of all of it, so that two labels stay two.
 */
void metric_label(struct strbuf *to, const char *bytes, size_t n, uint64_t salt);
/*
 * Appends a number as OpenMetrics wants it in le="": the shortest one that is read back
 * as x, with a decimal point or an exponent.
 */
void metric_float(struct strbuf *to, double x);

#endif
