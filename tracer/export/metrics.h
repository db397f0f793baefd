/* SPDX-License-Identifier: MIT */
/*
 * Serves the page of metrics over HTTP: --metrics.
 *
 * There is no thread: the main loop waits for metrics_fd() and calls metrics_serve(),
 * which never blocks. Connections, their memory and the time that one may be silent are
 * limited. A page is made at most once for each aggrate, however many ask.
 */
#ifndef TRACER_EXPORT_METRICS_H
#define TRACER_EXPORT_METRICS_H

#include "tracer/export/openmetrics.h"
#include "vm/base/host/err.h"

struct metrics;

/*
 * Listens at "[ADDR:]PORT", on loopback without ADDR; ADDR is numeric, an IPv6 one in
 * brackets, or localhost. Prints the address for port 0. e->text names the address.
 */
int metrics_open(struct metrics **out, const struct export_config *config,
		 struct consumer *consumer, struct err *e);
void metrics_close(struct metrics *m);

/* These accept NULL, as there is no server. */
int metrics_fd(const struct metrics *m); /* to be read from; -1 none */
/* For how many ns, at most, metrics_serve() need not be called without input. */
uint64_t metrics_wait(struct metrics *m);
/* Does what there is to do. Main loop only: reads the consumer. */
void metrics_serve(struct metrics *m);

#endif
