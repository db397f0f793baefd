/* SPDX-License-Identifier: MIT */
/*
 * Recording a run: what the probes of the program see goes to a file of perf.data, from
 * which the same or another program can run later (own_events.h).
 *
 * Each enabled probe has one more clause, the last, which records the firing's journal
 * (vm/journal.h). Its records come with those of the other clauses through the rings;
 * the consumer hands them to recorder_take(). Events of the kernel come from events.h, as
 * they are.
 */
#ifndef TRACER_RECORDING_WRITE_RECORDER_H
#define TRACER_RECORDING_WRITE_RECORDER_H

#include "tracer/base/core.h"
#include "vm/record.h"

struct recorder;
struct events;

/*
 * Makes the file of the option `recording`. The recorder belongs to t, as t->recorder.
 */
int recorder_open(struct tracer *t, struct err *e);
/* r may be NULL, here and in all below. */
void recorder_free(struct recorder *r);

/* All programs are compiled: adds the clauses that record, to all of their probes. */
int recorder_compile(struct tracer *t, struct strbuf *messages);
/* A program asks for types of arguments, which take long to find. */
void recorder_want_types(struct recorder *r);
/* Of a call of env.probe(): whether it is for a clause that records. */
bool recorder_next(const struct recorder *r);

/*
 * Tracing begins: writes what the file begins with, and the processes that there are.
 * events: those of the kernel, or NULL.
 */
void recorder_begin(struct tracer *t, struct events *events);
/* Whether it is a record of a clause that records; then it was written. */
bool recorder_take(struct recorder *r, const struct record *record);
/* Whether it is a record of a clause that records. */
bool recorder_is_for(const struct recorder *r, const struct record *record);

/*
 * A snapshot, to a new file: what was said so far of probes and processes, and then the
 * records that are taken until recorder_snapshot_end(). The recording itself is as
 * before after that. An error: there is none, the text is the reason alone.
 */
int recorder_snapshot_begin(struct recorder *r, const char *path, struct err *e);
/* Removes the file after an error. */
int recorder_snapshot_end(struct recorder *r, struct err *e);
/* So many records were lost. */
void recorder_lost(struct recorder *r, uint64_t n);
/* What was consumed so far goes to the file. False: it cannot, and that was said. */
bool recorder_round(struct recorder *r);
/* All is written; as recorder_round(). */
bool recorder_end(struct recorder *r);

#endif
