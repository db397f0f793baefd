/* SPDX-License-Identifier: MIT */
/*
 * The consumer: takes records and aggregations out of the state block and prints them,
 * records of all slots in time order.
 */
#ifndef TRACER_CONSUME_CONSUME_H
#define TRACER_CONSUME_CONSUME_H

#include "tracer/consume/consume_config.h"

struct agg_value; /* agg_view.h */
struct consumer;

struct consumer *consumer_new(const struct consumer_config *config);
void consumer_free(struct consumer *c);

/*
 * Prints the records that are there now, in time order: the header once, faults on
 * stderr, actions performed. hold_back is a time (0: none): records after it wait for
 * the next pass, so that slots merge in order. Returns 0, or STATUS_IO when the output
 * failed (full disk, closed pipe), with errno set.
 */
int consumer_pass(struct consumer *c, uint64_t hold_back);
/* Whether the last pass left records that it could have printed: make another one. */
bool consumer_is_behind(const struct consumer *c);
/* True and *status (low 8 bits count) after a record of exit() was consumed. */
bool consumer_exit_status(const struct consumer *c, int *status);
/* Reports drops since the last report on stderr, in the documented words. */
void consumer_report_drops(struct consumer *c);
/* An empty line, if the form of the output has such. */
void consumer_put_newline(struct consumer *c);
/*
 * Calls each() for the current values of all aggregations, one after the other, the
 * largest first. Prints nothing, and the program does not notice.
 */
void consumer_each_value(struct consumer *c,
			 void (*each)(void *ctx, const struct agg_value *x), void *ctx);
/* The aggregation is not printed at the end of the run. */
void consumer_hide(struct consumer *c, uint32_t agg);
/* At the end of the run: prints every aggregation that printa() has not printed. */
int consumer_print_aggregations(struct consumer *c);

#endif
