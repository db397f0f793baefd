/* SPDX-License-Identifier: MIT */
/*
 * The consumer: takes records and aggregations out of the state block and
 * prints them. Knows nothing of processes. Records of all slots are printed
 * in time order.
 */
#ifndef TRACER_OUTPUT_CONSUME_H
#define TRACER_OUTPUT_CONSUME_H

#include "tracer/output/consume_config.h"

struct consumer;

struct consumer *consumer_new(const struct consumer_config *config);
void consumer_free(struct consumer *c);

/*
 * Prints what is there now: header once, records in time order, faults on
 * stderr, actions performed. With hold_back (a time, 0: none) leaves records
 * newer than it for the next pass, so that slots merge in order. Returns 0,
 * or STATUS_IO when the output failed (full disk, closed pipe): errno says which.
 */
int consumer_pass(struct consumer *c, uint64_t hold_back);
/* True and *status (low 8 bits count) after a record of exit() was consumed. */
bool consumer_exit_status(const struct consumer *c, int *status);
/* Reports drops since the last report on stderr, in the documented words. */
void consumer_report_drops(struct consumer *c);
/* At the very end: every aggregation not printed by printa. */
int consumer_print_aggregations(struct consumer *c);

#endif
