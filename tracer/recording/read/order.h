/* SPDX-License-Identifier: MIT */
/*
 * Records of all processors in the order of time. perf writes what each processor's
 * buffer holds, one after the other, and marks the end of each round: what comes after a
 * round is not earlier than the latest record of the round before.
 */
#ifndef TRACER_RECORDING_READ_ORDER_H
#define TRACER_RECORDING_READ_ORDER_H

#include "tracer/recording/read/reader.h"

#define ORDER_BYTES_MAX (UINT64_C(256) << 20) /* of records that wait */

struct order;

struct order *order_new(void);
void order_free(struct order *o); /* o may be NULL */
/* A copy of the record waits for its turn. */
void order_add(struct order *o, uint64_t time, const struct recorded *r);
/* The end of a round. */
void order_round(struct order *o);
/* The end of all: everything is due. */
void order_end(struct order *o);
/*
 * Takes the first record that is due; it is valid until the next call, its bytes are
 * aligned. False: none is. When too much waits, the earliest is due.
 */
bool order_take(struct order *o, struct recorded *out);
/* How many records came later than others with a later time that had been taken. */
uint64_t order_late(const struct order *o);

#endif
