/* SPDX-License-Identifier: MIT */
/*
 * All aggregations as a page of metrics: OpenMetrics 1.0, or the older text format of
 * Prometheus (0.0.4) for readers that know no other.
 *
 * The manual (dtrace(1), METRICS) has names, labels and types.
 */
#ifndef TRACER_EXPORT_OPENMETRICS_H
#define TRACER_EXPORT_OPENMETRICS_H

#include "tracer/export/export_config.h"
#include "vm/base/host/strbuf.h"

struct consumer;
struct openmetrics;

enum openmetrics_format { OPENMETRICS_1, OPENMETRICS_TEXT, OPENMETRICS_COUNT };

/* config is copied; consumer is borrowed. */
struct openmetrics *openmetrics_new(const struct export_config *config,
				    struct consumer *consumer);
void openmetrics_free(struct openmetrics *m);
/*
 * Sets page to the current values. An aggregation has no more samples than the option
 * metricslimit says: rows with the largest values are kept, and a notice is printed once.
 */
void openmetrics_render(struct openmetrics *m, enum openmetrics_format format,
			struct strbuf *page);

#endif
